import { findRow, latestRows, type Page, type StoreOptions } from '../db/rows.ts'

export type MailPurpose = 'confirm' | 'sign-in'

/** A mail that waits, or was sent. The link in it is made when it leaves. */
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
  /** When it is tried (again); undefined: not by itself. */
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

/** Mails on their way. Writes belong in a transaction. */
export class Outbox {
  readonly #options: StoreOptions

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Puts a mail in, to be sent as soon as may be. */
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

  /** Does what `add` does and leaves nothing, so that the time it takes does not tell whether a mail was put in. */
  addNothing(): void {
    const { database } = this.#options
    const anyone = database.query<{ id: string }, []>('SELECT id FROM accounts LIMIT 1').get()
    if (anyone !== null) database.query('DELETE FROM outbox WHERE id = ?').run(this.add(anyone.id, 'sign-in'))
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

  /** How many mails for a purpose an account was sent, or is to be, since a time. */
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

  /** Notes why it could not be sent, and when to try again; undefined: not by itself. */
  markFailed(id: string, failure: string, nextAttemptMs: number | undefined): void {
    this.#options.database
      .query(
        'UPDATE outbox SET attempts = attempts + 1, failure = :failure, next_attempt = :nextAttemptMs WHERE id = :id',
      )
      .run({ id, failure, nextAttemptMs: nextAttemptMs ?? null })
  }
}
