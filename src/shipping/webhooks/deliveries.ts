import { latestRows, type Page, Store } from '../../db/rows.ts'

/** Event for one webhook that waits, was taken or was given up. */
export interface WebhookDelivery {
  /** Id of the message, equal in all attempts. */
  readonly id: string
  readonly webhook: string
  readonly type: string
  readonly createdMs: number
  readonly attempts: number
  /** Time of the next attempt. Undefined once the event was taken or given up. */
  readonly nextAttemptMs: number | undefined
  readonly deliveredMs: number | undefined
  /** HTTP status of the last answer. Undefined if there was none. */
  readonly status: number | undefined
  /** Reason why the last attempt failed. */
  readonly failure: string | undefined
}

/** Delivery with its message. */
export type DueDelivery = WebhookDelivery & { readonly body: string }

/** Result of an attempt. */
export type AttemptResult =
  | { readonly kind: 'taken'; readonly status: number }
  | { readonly kind: 'failed'; readonly status: number | undefined; readonly failure: string }

const columns = `id, webhook, type, created AS createdMs, attempts, next_attempt AS nextAttemptMs,
  delivered AS deliveredMs, status, failure`
const source = { table: 'webhook_deliveries', columns, order: 'created' } as const

/** Events that may wait for one webhook. */
const maximumWaiting = 1_000

/** Outbox of events. Writes belong in a transaction. */
export class WebhookDeliveries extends Store {
  /** Adds an event, which is due at once. Returns false if too many wait already. */
  add(webhook: string, { type, body }: { readonly type: string; readonly body: string }): boolean {
    if (this.countWaiting(webhook) >= maximumWaiting) return false
    const sql = `INSERT INTO webhook_deliveries (id, webhook, type, body, created, next_attempt)
      VALUES (:id, :webhook, :type, :body, :now, :now)`
    this.write(sql, { id: this.newId('msg_'), webhook, type, body, now: this.clock() })
    return true
  }

  /**
   * Returns the oldest due event of a webhook; undefined if none is due. An event that waits longer than any wait is due
   * as well: the clock was set back.
   */
  nextDue(webhook: string, longestWaitMs: number): DueDelivery | undefined {
    const sql = `SELECT ${columns}, body FROM webhook_deliveries
      WHERE webhook = :webhook AND (next_attempt <= :now OR next_attempt > :now + :longestWaitMs)
      ORDER BY next_attempt, created LIMIT 1`
    return this.first<DueDelivery>(sql, { webhook, now: this.clock(), longestWaitMs })
  }

  /** Returns the time of a webhook's next due event; undefined if none waits. */
  nextDueMs(webhook: string): number | undefined {
    const sql = `SELECT min(next_attempt) AS due FROM webhook_deliveries
      WHERE webhook = :webhook AND next_attempt IS NOT NULL`
    return this.first<{ due: number | null }>(sql, { webhook })?.due ?? undefined
  }

  countWaiting(webhook: string): number {
    const sql = `SELECT count(*) AS count FROM webhook_deliveries
      WHERE webhook = :webhook AND next_attempt IS NOT NULL`
    return this.first<{ count: number }>(sql, { webhook })?.count ?? 0
  }

  /** Records an attempt. `nextAttemptMs`: time of the next one, undefined for none. */
  record(id: string, result: AttemptResult, nextAttemptMs: number | undefined): void {
    const sql = `UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt = :nextAttemptMs,
      delivered = :deliveredMs, status = :status, failure = :failure WHERE id = :id`
    const isTaken = result.kind === 'taken'
    const deliveredMs = isTaken ? this.clock() : undefined
    const failure = isTaken ? undefined : result.failure
    this.write(sql, { id, nextAttemptMs, deliveredMs, status: result.status, failure })
  }

  /** Adds an attempt that is not repeated. */
  addEnded(
    delivery: { readonly id: string; readonly webhook: string; readonly type: string },
    result: AttemptResult,
  ): void {
    const sql = `INSERT INTO webhook_deliveries (id, webhook, type, body, created) VALUES (:id, :webhook, :type, '', :now)`
    this.write(sql, { ...delivery, now: this.clock() })
    this.record(delivery.id, result, undefined)
  }

  /** Gives up the events of webhooks that are configured no longer. */
  giveUpOthers(webhooks: readonly string[]): void {
    const sql = `UPDATE webhook_deliveries SET next_attempt = NULL, failure = 'the webhook is configured no longer'
      WHERE next_attempt IS NOT NULL AND webhook NOT IN (SELECT value FROM json_each(:webhooks))`
    this.write(sql, { webhooks: JSON.stringify(webhooks) })
  }

  /** Lists events, the latest first. */
  list(page: Page): WebhookDelivery[] {
    return latestRows<WebhookDelivery>(this.database, source, page)
  }
}
