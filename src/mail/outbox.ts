import { findRow, latestRows, type Page, Store } from '../db/rows.ts'

export type MailPurpose = 'confirm' | 'sign-in'

/** Mail that waits or was sent. Its link is made when it is sent. */
export interface OutboxMail {
  readonly id: string
  readonly accountId: string
  /** Recipient's address. */
  readonly address: string
  readonly purpose: MailPurpose
  readonly createdMs: number
  /** Time when the mail was sent, or its link was shown to the operator. */
  readonly sentMs: number | undefined
  readonly attempts: number
  /** Time of the next attempt. Undefined if there is no automatic one. */
  readonly nextAttemptMs: number | undefined
  /** Reason why the last attempt failed. */
  readonly failure: string | undefined
}

const source = {
  table: 'outbox',
  columns: `outbox.id, outbox.account_id AS accountId, accounts.email AS address, outbox.purpose,
    outbox.created AS createdMs, outbox.sent AS sentMs, outbox.attempts, outbox.next_attempt AS nextAttemptMs,
    outbox.failure`,
  from: 'outbox JOIN accounts ON accounts.id = outbox.account_id',
  order: 'created',
} as const

/** Limit of the count, since every signup adds a mail, which stays if there is no mail server. */
const maximumCounted = 10_000

/** Mails to be sent. Writes belong in a transaction. */
export class Outbox extends Store {
  /** Adds a mail, which is due at once, and returns its id. */
  add(accountId: string, purpose: MailPurpose): string {
    const id = this.newId('mail_')
    const sql = `INSERT INTO outbox (id, account_id, purpose, created, next_attempt)
      VALUES (:id, :accountId, :purpose, :now, :now)`
    this.write(sql, { id, accountId, purpose, now: this.clock() })
    return id
  }

  /** Writes as much as `add` and adds nothing, so that a request's duration does not reveal whether it sent a mail. */
  addNothing(): void {
    const account = this.first<{ id: string }>('SELECT id FROM accounts LIMIT 1')
    if (account !== undefined) this.write('DELETE FROM outbox WHERE id = :id', { id: this.add(account.id, 'sign-in') })
  }

  /** Returns the ids of waiting mails that are due, the oldest first. */
  due(): string[] {
    return this.database
      .query<{ id: string }, [number]>(
        'SELECT id FROM outbox WHERE sent IS NULL AND next_attempt <= ? ORDER BY created LIMIT 100',
      )
      .all(this.clock())
      .map(({ id }) => id)
  }

  /** Returns the time of the next due mail; undefined if none waits. */
  nextDueMs(): number | undefined {
    const sql = 'SELECT min(next_attempt) AS due FROM outbox WHERE sent IS NULL'
    return this.first<{ due: number | null }>(sql)?.due ?? undefined
  }

  /** Lists all mails, or the waiting ones, the latest first. */
  list({ isWaiting, ...page }: Page & { readonly isWaiting: boolean }): OutboxMail[] {
    const filter = isWaiting ? { sent: null } : {}
    return latestRows(this.database, source, { ...page, filter })
  }

  find(id: string): OutboxMail | undefined {
    return findRow(this.database, source, { id })
  }

  /** Counts the mails of a purpose that were added for an account since a time. */
  countSince(accountId: string, purpose: MailPurpose, sinceMs: number): number {
    const sql = `SELECT count(*) AS count FROM outbox
      WHERE account_id = :accountId AND purpose = :purpose AND created > :sinceMs`
    return this.first<{ count: number }>(sql, { accountId, purpose, sinceMs })?.count ?? 0
  }

  markSent(id: string): void {
    this.write(
      'UPDATE outbox SET sent = :now, attempts = attempts + 1, next_attempt = NULL, failure = NULL WHERE id = :id',
      { id, now: this.clock() },
    )
  }

  /** Makes a waiting mail due at once. Returns false if it was due already. */
  retry(id: string): boolean {
    const sql = `UPDATE outbox SET next_attempt = :now
      WHERE id = :id AND sent IS NULL AND (next_attempt IS NULL OR next_attempt > :now)`
    return this.write(sql, { id, now: this.clock() }) > 0
  }

  /** Counts waiting mails, up to ten thousand. */
  countWaiting(): number {
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM outbox WHERE sent IS NULL LIMIT ${maximumCounted})`
    return this.first<{ count: number }>(sql)?.count ?? 0
  }

  /** Records a failure, and the time of the next attempt. Undefined means no automatic one. */
  markFailed(id: string, failure: string, nextAttemptMs: number | undefined): void {
    this.write(
      'UPDATE outbox SET attempts = attempts + 1, failure = :failure, next_attempt = :nextAttemptMs WHERE id = :id',
      { id, failure, nextAttemptMs },
    )
  }
}
