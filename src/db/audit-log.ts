import type { Database } from 'bun:sqlite'
import type { JsonObject } from '../core/json.ts'
import { chainRow } from './audit-chain.ts'
import { type AccountPage, type Bindings, latestRows, partPattern, Store } from './rows.ts'

interface AuditEntry {
  /** `cli:<user>`, `operator:<id>`, `account:<id>` or `system`. */
  readonly actor: string
  /** Kind of the change, such as `credit` or `key.revoke`. */
  readonly action: string
  /** Affected account. */
  readonly accountId?: string | undefined
  /** Ids and amounts; never a secret, nor the name of a person, a key or an address: those could not be erased elsewhere. */
  readonly details: JsonObject
}

/** Filters. Each matches a part of its column in any case; `actor` also a part of its account's address or name. */
export interface AuditQuery extends AccountPage {
  readonly actor?: string | undefined
  readonly action?: string | undefined
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

/** SQL condition that matches an actor itself, or its account's address or name. */
const actorCondition = `(audit_log.actor LIKE :actor ESCAPE '\\' OR EXISTS (
  SELECT 1 FROM accounts WHERE id = substr(audit_log.actor, instr(audit_log.actor, ':') + 1)
    AND (email LIKE :actor ESCAPE '\\' OR name LIKE :actor ESCAPE '\\')))`

type StoredEntry = Omit<AuditRow, 'details'> & { readonly details: string }

/** Record of changes to accounts, keys and money. Append within the transaction that makes the change. */
export class AuditLog extends Store {
  append({ actor, action, accountId, details }: AuditEntry): void {
    const last = this.first<{ id: number; chain: Uint8Array | null }>(
      'SELECT id, chain FROM audit_log ORDER BY id DESC LIMIT 1',
    )
    const stored = { actor, action, details: JSON.stringify(details), id: (last?.id ?? 0) + 1, created: this.clock() }
    const chained = chainRow(last?.chain, { ...stored, account_id: accountId ?? null })
    this.write(
      `INSERT INTO audit_log (id, created, actor, action, account_id, details, salt, digest, chain)
       VALUES (:id, :created, :actor, :action, :accountId, :details, :salt, :digest, :chain)`,
      { ...stored, accountId, ...chained },
    )
  }

  /** Returns the time of an account's last sign-in; undefined if there was none. */
  lastSignInMs(accountId: string): number | undefined {
    const sql = `SELECT created FROM audit_log WHERE account_id = :accountId AND action = 'session.begin' ORDER BY id DESC LIMIT 1`
    return this.first<{ created: number }>(sql, { accountId })?.created
  }

  /** Returns whether an account has ever begun a session by a mailed link. The log cannot be changed afterwards. */
  hasUsedLink(accountId: string): boolean {
    const sql = `SELECT 1 FROM audit_log
      WHERE account_id = :accountId AND action = 'session.begin' AND json_extract(details, '$.isByLink') LIMIT 1`
    return this.first(sql, { accountId }) !== undefined
  }

  /** Returns the id of the last entry, 0 without any. */
  lastId(): number {
    return this.first<{ id: number | null }>('SELECT max(id) AS id FROM audit_log')?.id ?? 0
  }

  /** Returns entries after this one, in order. */
  after(id: number, limit: number): AuditRow[] {
    const sql = `SELECT ${source.columns} FROM audit_log WHERE id > :id ORDER BY id LIMIT :limit`
    return this.all<StoredEntry>(sql, { id, limit }).map((row) => ({
      ...row,
      accountId: row.accountId ?? undefined,
      details: JSON.parse(row.details) as JsonObject, // written by `append`
    }))
  }

  /** Lists entries, the latest first: all, or those of an account, an actor or an action. */
  list(query: AuditQuery = {}): AuditRow[] {
    return listAudit(this.database, query)
  }
}

/** Lists entries over any connection, since a search reads the whole log. */
export function listAudit(database: Database, { accountId, actor, action, ...page }: AuditQuery): AuditRow[] {
  const conditions: string[] = []
  const values: Bindings = {}
  const wanted = [
    [actor, 'actor', actorCondition],
    [action, 'action', "audit_log.action LIKE :action ESCAPE '\\'"],
  ] as const
  for (const [part, name, condition] of wanted) {
    if (part === undefined) continue
    conditions.push(condition)
    values[name] = partPattern(part)
  }
  const selection = { filter: { account_id: accountId }, conditions, values }
  return latestRows<StoredEntry>(database, source, { ...page, ...selection }).map((row) => ({
    ...row,
    details: JSON.parse(row.details) as JsonObject, // written by `append`
  }))
}
