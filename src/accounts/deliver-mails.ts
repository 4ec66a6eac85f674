import type { GroupCommit } from '../db/group-commit.ts'
import { composeMail } from '../mail/compose-mail.ts'
import { mailLink } from '../mail/mail-link.ts'
import type { Outbox, OutboxMail } from '../mail/outbox.ts'
import type { SendMail } from '../mail/smtp.ts'
import type { MailTokens } from './mail-tokens.ts'

const minuteMs = 60_000
/** Waiting times after each failure; then the mail stays for the operator. */
const retryAfterMs = [1, 5, 15, 60, 360, 360, 360].map((minutes) => minutes * minuteMs)
const longestFailure = 300

export interface MailDeliveryOptions {
  readonly outbox: Outbox
  readonly tokens: MailTokens
  readonly commits: GroupCommit
  /** Undefined: no mail server is configured, and mails wait for the operator. */
  readonly send: SendMail | undefined
  /** Address of the server for links, without path. It is the operator's word, never a client's Host header. */
  readonly baseUrl: () => string
  readonly onFailure: (mail: OutboxMail, reason: string) => void
  readonly clock: () => number
}

/** Sends what lies in the outbox, one mail after the other, and tries again what failed. */
export class MailDelivery {
  readonly #options: MailDeliveryOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #isWanted = false
  #isStopped = false

  constructor(options: MailDeliveryOptions) {
    this.#options = options
  }

  /** Something was put in, or the server has just started. */
  wake(): void {
    if (this.#options.send === undefined || this.#isStopped) return
    this.#isWanted = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      this.#schedule()
    })
  }

  /** Ends after the mail that is being sent. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #run(): Promise<void> {
    const { outbox } = this.#options
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false
      for (const mail of outbox.due()) {
        if (this.#isStopped) return
        await this.#deliver(mail)
      }
    }
  }

  async #deliver(mail: OutboxMail): Promise<void> {
    const { outbox, tokens, commits, send, baseUrl, onFailure, clock } = this.#options
    if (send === undefined) return
    try {
      const base = baseUrl()
      // Each attempt has a link of its own: the one of an attempt that seemed to fail may have arrived all the same.
      const token = await commits.run(() => tokens.mint(mail.accountId, mail.purpose))
      await send(mail.address, composeMail(mail.purpose, mailLink(mail.purpose, token, base), base))
      await commits.run(() => outbox.markSent(mail.id))
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).slice(0, longestFailure)
      const waitMs = retryAfterMs[mail.attempts]
      onFailure(mail, reason)
      const nextMs = waitMs === undefined ? undefined : clock() + waitMs
      await commits.run(() => outbox.markFailed(mail.id, reason, nextMs)).catch(() => undefined)
    }
  }

  #schedule(): void {
    const { outbox, clock } = this.#options
    if (this.#isStopped) return
    const dueMs = outbox.nextDueMs()
    clearTimeout(this.#timer)
    if (dueMs === undefined) return
    // At least a second: a database that can not be written must not make us spin.
    this.#timer = setTimeout(() => this.wake(), Math.max(1_000, Math.min(dueMs - clock(), 60 * minuteMs)))
    this.#timer.unref()
  }
}
