import type { Database } from 'bun:sqlite'
import type { JsonObject } from '../core/json.ts'
import { latestRows, type Page, type StoreOptions } from './rows.ts'

export interface AuditEntry {
  /** `cli:<user>`, `account:<id>` or `system`. */
  readonly actor: string
  /** The change, such as `credit` or `key.revoke`. */
  readonly action: string
  /** The account it was done to. */
  readonly accountId?: string | undefined
  /** Ids and amounts; never a secret. */
  readonly details: JsonObject
}

export interface AuditRow extends AuditEntry {
  readonly id: number
  readonly createdMs: number
}

const source = {
  table: 'audit_log',
  columns: 'id, created AS createdMs, actor, action, account_id AS accountId, details',
  order: 'rowid',
} as const

type StoredEntry = Omit<AuditRow, 'details'> & { readonly details: string }

/** The record of changes to accounts, keys and money. Append within the transaction that makes the change. */
export class AuditLog {
  readonly #database: Database
  readonly #clock: () => number

  constructor({ database, clock }: Pick<StoreOptions, 'database' | 'clock'>) {
    this.#database = database
    this.#clock = clock
  }

  append({ actor, action, accountId, details }: AuditEntry): void {
    this.#database
      .query(
        `INSERT INTO audit_log (created, actor, action, account_id, details)
         VALUES (:created, :actor, :action, :accountId, :details)`,
      )
      .run({ created: this.#clock(), actor, action, accountId: accountId ?? null, details: JSON.stringify(details) })
  }

  /** Whether an account has ever begun a session by a mailed link. The log cannot be changed afterwards. */
  hasUsedLink(accountId: string): boolean {
    const found = this.#database
      .query(
        `SELECT 1 FROM audit_log
         WHERE account_id = ? AND action = 'session.begin' AND json_extract(details, '$.isByLink') LIMIT 1`,
      )
      .get(accountId)
    return found !== null
  }

  /** The latest first. */
  list({ accountId, ...page }: Page & { readonly accountId?: string | undefined } = {}): AuditRow[] {
    const filter = { account_id: accountId }
    return latestRows<StoredEntry>(this.#database, source, { ...page, filter }).map((row) => ({
      ...row,
      details: JSON.parse(row.details) as JsonObject, // written by `append`
    }))
  }
}
