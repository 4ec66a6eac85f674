import { findRow, latestRows, type Page, type StoreOptions } from '../db/rows.ts'

export type MailPurpose = 'confirm' | 'sign-in'

/** A mail that waits, or was sent. Its link is made when it is sent. */
export interface OutboxMail {
  readonly id: string
  readonly accountId: string
  /** Where it goes. */
  readonly address: string
  readonly purpose: MailPurpose
  readonly createdMs: number
  /** Sent, or its link shown to the operator. */
  readonly sentMs: number | undefined
  readonly attempts: number
  /** When it is sent, or retried; undefined: not by itself. */
  readonly nextAttemptMs: number | undefined
  /** Of the last attempt. */
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

/** Mails to be sent. Writes belong in a transaction. */
export class Outbox {
  readonly #options: StoreOptions

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Adds a mail, which is due at once. */
  add(accountId: string, purpose: MailPurpose): string {
    const { database, newId, clock } = this.#options
    const id = newId('mail_')
    database
      .query(
        `INSERT INTO outbox (id, account_id, purpose, created, next_attempt)
         VALUES (:id, :accountId, :purpose, :now, :now)`,
      )
      .run({ id, accountId, purpose, now: clock() })
    return id
  }

  /** Writes as much as `add` and adds nothing, so that the time of a request does not show whether it sent a mail. */
  addNothing(): void {
    const { database } = this.#options
    const account = database.query<{ id: string }, []>('SELECT id FROM accounts LIMIT 1').get()
    if (account !== null) database.query('DELETE FROM outbox WHERE id = ?').run(this.add(account.id, 'sign-in'))
  }

  /** Ids of the mails that wait and are due, the oldest first. */
  due(): string[] {
    const { database, clock } = this.#options
    return database
      .query<{ id: string }, [number]>(
        'SELECT id FROM outbox WHERE sent IS NULL AND next_attempt <= ? ORDER BY created LIMIT 100',
      )
      .all(clock())
      .map(({ id }) => id)
  }

  /** When the next mail is due. */
  nextDueMs(): number | undefined {
    const row = this.#options.database
      .query<{ due: number | null }, []>('SELECT min(next_attempt) AS due FROM outbox WHERE sent IS NULL')
      .get()
    return row?.due ?? undefined
  }

  /** All mails, or those that wait, the latest first. */
  list({ isWaiting, ...page }: Page & { readonly isWaiting: boolean }): OutboxMail[] {
    const filter = isWaiting ? { sent: null } : {}
    return latestRows(this.#options.database, source, { ...page, filter })
  }

  find(id: string): OutboxMail | undefined {
    return findRow(this.#options.database, source, { id })
  }

  /** Mails of a purpose that were added for an account since a time. */
  countSince(accountId: string, purpose: MailPurpose, sinceMs: number): number {
    return (
      this.#options.database
        .query<{ count: number }, [string, string, number]>(
          'SELECT count(*) AS count FROM outbox WHERE account_id = ? AND purpose = ? AND created > ?',
        )
        .get(accountId, purpose, sinceMs)?.count ?? 0
    )
  }

  markSent(id: string): void {
    const { database, clock } = this.#options
    database
      .query(
        'UPDATE outbox SET sent = :now, attempts = attempts + 1, next_attempt = NULL, failure = NULL WHERE id = :id',
      )
      .run({ id, now: clock() })
  }

  /** Records why it was not sent, and when to retry; undefined: not by itself. */
  markFailed(id: string, failure: string, nextAttemptMs: number | undefined): void {
    this.#options.database
      .query(
        'UPDATE outbox SET attempts = attempts + 1, failure = :failure, next_attempt = :nextAttemptMs WHERE id = :id',
      )
      .run({ id, failure, nextAttemptMs: nextAttemptMs ?? null })
  }
}
