import { minuteMs } from '../../core/durations.ts'
import { errorText } from '../../core/error-text.ts'
import type { NewId } from '../../core/ids.ts'
import { eventData, type ServiceEvent } from '../../core/service-events.ts'
import type { Webhook } from '../../core/webhook.ts'
import type { GroupCommit } from '../../db/group-commit.ts'
import type { WebhookDeliveries } from './deliveries.ts'
import { type Posted, type PostOptions, postMessage } from './post-message.ts'

/** Waiting times after each failure. After the last one an event is given up. */
const retryAfterMs = [1, 5, 30, 120, 480, 480, 480].map((minutes) => minutes * minuteMs)
const longestWaitMs = 480 * minuteMs
const minimumWaitMs = 1_000

export interface WebhooksOptions {
  readonly webhooks: readonly Webhook[]
  readonly deliveries: WebhookDeliveries
  readonly commits: GroupCommit
  readonly post: Pick<PostOptions, 'userAgent' | 'ca'>
  /** Called with the reason when an event was not taken, or could not be kept. */
  readonly onFailure: (webhook: string, reason: string) => void
  readonly newId: NewId
  readonly clock: () => number
}

/** Webhook as operators see it. */
export interface WebhookState {
  readonly name: string
  /** Scheme and host. The rest of the address may hold a secret. */
  readonly address: string
  readonly events: readonly string[]
  readonly waiting: number
}

/**
 * Sends events to webhooks. Each webhook has its own queue in the database, so that a receiver that hangs delays no
 * other. An event is sent at least once, always with the same id, also after the server was killed.
 */
export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #stopping = new AbortController()
  readonly #queues: readonly WebhookQueue[]

  constructor(options: WebhooksOptions) {
    this.#options = options
    this.#queues = options.webhooks.map((webhook) => new WebhookQueue(webhook, options, this.#stopping.signal))
  }

  /** Continues with the events that an earlier server left. Never rejects. */
  async start(): Promise<void> {
    const { deliveries, commits, webhooks, onFailure } = this.#options
    await commits
      .run(() => deliveries.giveUpOthers(webhooks.map(({ name }) => name)))
      .catch((error: unknown) => onFailure('former webhooks', errorText(error)))
    for (const queue of this.#queues) queue.wake()
  }

  /**
   * Keeps an event for the webhooks that want it, and sends it. Within a transaction, the event is kept if and only if
   * the transaction is committed, so that a crash loses neither without the other.
   */
  add(event: ServiceEvent): void {
    const wanting = this.#queues.filter(({ webhook }) => webhook.events.includes(event.type))
    if (wanting.length === 0) return
    const { deliveries, commits, onFailure, clock } = this.#options
    const message = { type: event.type, body: messageBody(event.type, eventData(event), clock()) }
    const keep = () => {
      for (const { webhook } of wanting) {
        if (!deliveries.add(webhook.name, message)) onFailure(webhook.name, 'too many events wait: this one is dropped')
      }
    }
    if (commits.isInTransaction) keep()
    commits.run(commits.isInTransaction ? () => undefined : keep).then(
      () => {
        for (const queue of wanting) queue.wake()
      },
      (error: unknown) => {
        for (const { webhook } of wanting) onFailure(webhook.name, errorText(error))
      },
    )
  }

  /** Sends a test message at once, without retries. Undefined for an unknown name. */
  async test(name: string): Promise<({ readonly id: string; readonly type: string } & Posted) | undefined> {
    const webhook = this.#options.webhooks.find((each) => each.name === name)
    if (webhook === undefined) return undefined
    const { post, newId, clock } = this.#options
    const [id, type] = [newId('msg_'), 'webhook.test']
    const message = { id, body: messageBody(type, {}, clock()) }
    const posted = await postMessage(webhook, message, { ...post, nowMs: clock(), signal: this.#stopping.signal })
    return { id, type, ...posted }
  }

  states(): WebhookState[] {
    const { webhooks, deliveries } = this.#options
    return webhooks.map(({ name, url, events }) => ({
      ...{ name, address: new URL(url).origin, events },
      waiting: deliveries.countWaiting(name),
    }))
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stopped'))
    await Promise.all(this.#queues.map((queue) => queue.stop()))
  }
}

function messageBody(type: string, data: object, nowMs: number): string {
  return JSON.stringify({ type, timestamp: new Date(nowMs).toISOString(), data })
}

/** Sends the events of one webhook, one after the other. */
class WebhookQueue {
  readonly webhook: Webhook
  readonly #options: WebhooksOptions
  readonly #stopping: AbortSignal
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #isWanted = false

  constructor(webhook: Webhook, options: WebhooksOptions, stopping: AbortSignal) {
    this.webhook = webhook
    this.#options = options
    this.#stopping = stopping
  }

  wake(): void {
    if (this.#stopping.aborted) return
    this.#isWanted = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#running
  }

  async #run(): Promise<void> {
    const { deliveries, onFailure, clock } = this.#options
    const { name } = this.webhook
    try {
      while (this.#isWanted && !this.#stopping.aborted) {
        this.#isWanted = false
        const next = () => deliveries.nextDue(name, longestWaitMs)
        for (let due = next(); due !== undefined; due = next()) {
          await this.#deliver(due)
          if (this.#stopping.aborted) return
        }
      }
      this.#wakeAt(deliveries.nextDueMs(name))
    } catch (error) {
      // The database cannot be read or written: retry after a pause.
      onFailure(name, errorText(error))
      this.#wakeAt(clock() + minuteMs)
    }
  }

  async #deliver({ id, body, attempts }: { readonly id: string; readonly body: string; readonly attempts: number }) {
    const { deliveries, commits, post, onFailure, clock } = this.#options
    const options = { ...post, nowMs: clock(), signal: this.#stopping }
    const posted = await postMessage(this.webhook, { id, body }, options)
    // An attempt that the stop of the server cut off is made again.
    if (this.#stopping.aborted && posted.kind === 'failed') return
    const nextMs = posted.kind === 'taken' ? undefined : nextAttemptMs(attempts, posted.retryAfterMs, clock())
    await commits.run(() => deliveries.record(id, posted, nextMs))
    if (posted.kind === 'failed') onFailure(this.webhook.name, posted.failure)
  }

  #wakeAt(timeMs: number | undefined): void {
    clearTimeout(this.#timer)
    if (timeMs === undefined || this.#stopping.aborted) return
    const waitMs = Math.min(timeMs - this.#options.clock(), 60 * minuteMs)
    this.#timer = setTimeout(() => this.wake(), Math.max(minimumWaitMs, waitMs))
    this.#timer.unref()
  }
}

/** Returns the time of the next attempt; undefined after the last one. A receiver may ask for a longer wait. */
function nextAttemptMs(attempts: number, askedMs: number | undefined, nowMs: number): number | undefined {
  const waitMs = retryAfterMs[attempts]
  if (waitMs === undefined) return undefined
  return nowMs + Math.min(Math.max(waitMs, askedMs ?? 0), longestWaitMs)
}
