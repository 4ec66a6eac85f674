import { minuteMs } from '../core/durations.ts'
import { errorText } from '../core/error-text.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import { composeMail, composeTestMail, mailLink } from '../mail/compose-mail.ts'
import type { Outbox, OutboxMail } from '../mail/outbox.ts'
import type { SendMail } from '../mail/smtp.ts'
import type { MailTokens } from './mail-tokens.ts'

/** Waiting times after each failure. After the last one the mail stays for the operator. */
const retryAfterMs = [1, 5, 15, 60, 360, 360, 360].map((minutes) => minutes * minuteMs)
const maximumFailureLength = 300
const minimumWaitMs = 1_000
/** Time for which a mail is useful. Users request another sign-in link, but a confirmation still helps days later. */
const usefulForMs = { 'sign-in': 30 * minuteMs, confirm: 7 * 24 * 60 * minuteMs } as const

interface MailDeliveryOptions {
  readonly outbox: Outbox
  readonly tokens: MailTokens
  readonly commits: GroupCommit
  /** Sends a mail. Undefined without a mail server: mails then wait for the operator. */
  readonly send: SendMail | undefined
  /** Returns the server's address for links, without path. The operator sets it; a client's Host header never does. */
  readonly baseUrl: () => string
  /** Called with the reason when a mail was not sent. `mail` is undefined if the outbox could not be read. */
  readonly onFailure: (mail: OutboxMail | undefined, reason: string) => void
  readonly clock: () => number
}

/** State of the operator's mail server since the start. `off`: none is configured. `unknown`: nothing was sent yet. */
export type MailServerState =
  | { readonly kind: 'off' | 'unknown' }
  /** `sinceMs`: time of the first success after the last failure, or after the start. */
  | { readonly kind: 'working'; readonly sinceMs: number }
  /** `failure`: the server's reply to the last mail. `sinceMs`: time of the first failure after the last success. */
  | { readonly kind: 'failing'; readonly sinceMs: number; readonly failure: string }

/** Sends the mails of the outbox one after the other and retries failures. Never throws. */
export class MailDelivery {
  readonly #options: MailDeliveryOptions
  readonly #stopping = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #isWanted = false
  #state: MailServerState

  constructor(options: MailDeliveryOptions) {
    this.#options = options
    this.#state = { kind: options.send === undefined ? 'off' : 'unknown' }
  }

  state(): MailServerState {
    return this.#state
  }

  /** Sends a test mail. Rejects with the server's reply, or because there is no mail server. */
  async test(address: string): Promise<void> {
    const { send, baseUrl } = this.#options
    if (send === undefined) throw new Error('no mail server is configured')
    try {
      await send(address, composeTestMail(baseUrl()), this.#stopping.signal)
    } catch (error) {
      const reason = errorText(error).slice(0, maximumFailureLength)
      this.#note(reason)
      throw new Error(reason, { cause: error })
    }
    this.#note(undefined)
  }

  /** Starts sending. Call it at the server's start and for each new mail in the outbox. */
  wake(): void {
    if (this.#options.send === undefined || this.#isStopped) return
    this.#isWanted = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Stops sending and cancels the mail that is being sent. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stopped'))
    clearTimeout(this.#timer)
    await this.#running
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async #run(): Promise<void> {
    const { outbox, onFailure } = this.#options
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false
        for (const id of outbox.due()) {
          // Read each mail again: the operator may have opened its link meanwhile.
          const mail = outbox.find(id)
          if (mail?.sentMs === undefined && mail !== undefined && !this.#isStopped) await this.#deliver(mail)
        }
      }
      this.#wakeAt(outbox.nextDueMs())
    } catch (error) {
      // The database cannot be read or written: retry after a pause.
      onFailure(undefined, errorText(error))
      this.#wakeAt(this.#options.clock() + minuteMs)
    }
  }

  async #deliver(mail: OutboxMail): Promise<void> {
    const { outbox, tokens, commits, send, baseUrl, onFailure, clock } = this.#options
    if (send === undefined) return
    // Each attempt has a separate link, because the mail of a failed attempt may have arrived.
    const token = await commits.run(() => tokens.mint(mail.accountId, mail.purpose))
    try {
      const base = baseUrl()
      const text = composeMail(mail.purpose, mailLink(mail.purpose, token, base), base)
      await send(mail.address, text, this.#stopping.signal)
    } catch (error) {
      // Some servers quote the mail that they refuse, and a valid link must not be stored or logged.
      const reason = errorText(error).replaceAll(token, '…').slice(0, maximumFailureLength)
      if (!this.#isStopped) this.#note(reason)
      const nextMs = this.#isStopped ? clock() : nextAttemptMs(mail, clock())
      await commits.run(() => outbox.markFailed(mail.id, reason, nextMs))
      if (!this.#isStopped) onFailure(mail, reason)
      return
    }
    this.#note(undefined)
    await commits.run(() => outbox.markSent(mail.id))
  }

  #note(failure: string | undefined): void {
    const kind = failure === undefined ? 'working' : 'failing'
    const sinceMs = 'sinceMs' in this.#state && this.#state.kind === kind ? this.#state.sinceMs : this.#options.clock()
    this.#state = failure === undefined ? { kind: 'working', sinceMs } : { kind: 'failing', sinceMs, failure }
  }

  #wakeAt(timeMs: number | undefined): void {
    clearTimeout(this.#timer)
    if (timeMs === undefined || this.#isStopped) return
    const waitMs = Math.min(timeMs - this.#options.clock(), 60 * minuteMs)
    this.#timer = setTimeout(() => this.wake(), Math.max(minimumWaitMs, waitMs))
    this.#timer.unref()
  }
}

/** Returns the time of the next attempt; undefined after the last one, or if the mail would be useless by then. */
function nextAttemptMs({ purpose, attempts, createdMs }: OutboxMail, nowMs: number): number | undefined {
  const waitMs = retryAfterMs[attempts]
  if (waitMs === undefined) return undefined
  const nextMs = nowMs + waitMs
  return nextMs - createdMs > usefulForMs[purpose] ? undefined : nextMs
}
