/** Table of how long rows are kept, and the deletion of those that are older. */
import type { Database } from 'bun:sqlite'
import { dayMs } from '../core/durations.ts'

/** Days to keep mails, keys that ended unused, and expired links, so that the page can explain why a link fails. */
const keptDays = 30

interface Kind {
  readonly table: string
  /** SQL condition of rows to delete. An index finds them. */
  readonly rows: string
  /** Time that a row stays, in words. */
  readonly kept: string
}

const afterEnd = `${keptDays} days after its end`

/** Rows that are deleted once they mean nothing. Used keys stay, since the books name them. */
export const deletedKinds: readonly Kind[] = [
  // With the client's address and browser.
  { table: 'sessions', rows: 'expires <= :now', kept: 'until it ends' },
  { table: 'mail_tokens', rows: 'expires <= :old', kept: afterEnd },
  { table: 'setup_links', rows: 'expires <= :old', kept: afterEnd },
  { table: 'outbox', rows: 'created < :old', kept: `${keptDays} days` },
  {
    table: 'webhook_deliveries',
    rows: 'created < :old AND next_attempt IS NULL',
    kept: `${keptDays} days, longer while it is tried`,
  },
  { table: 'signups', rows: 'day < :yesterday', kept: 'two days' },
  {
    table: 'api_keys',
    rows: `last_used IS NULL AND coalesce(revoked, expires) <= :old AND is_playground = 0 AND is_keyless = 0
      AND NOT EXISTS (SELECT 1 FROM usage WHERE key_id = api_keys.id)
      AND NOT EXISTS (SELECT 1 FROM usage_days WHERE key_id = api_keys.id)`,
    kept: `with the account; without any use ${afterEnd}`,
  },
  // Kept for ever unless the operator set a time.
  { table: 'usage', rows: 'created < :usageFrom', kept: '`usage_keep_days`, by default for ever' },
]

/** Tables of persons whose rows stay, each with the reason. An erasure takes the texts out of them. */
export const keptForEver: Readonly<Record<string, string>> = {
  accounts: 'the books name accounts by their ids',
  erasures: 'an erased person stays erased',
  ledger: 'each move of money proves a balance',
  vouchers: 'the ledger names them',
  usage_days: 'daily sums prove charges after single requests are gone',
  audit_log: 'who changed what is proven by a chain over all rows',
  told_budgets: 'a budget is told once in its period',
  holds: 'they end with their requests',
  limits: 'they hold until they are removed',
  memberships: 'they hold until they are removed',
  identities: 'they hold until the account is erased',
  second_factors: 'they hold until they are removed',
}

interface PurgeOptions {
  readonly nowMs: number
  /** Most rows deleted of each table. */
  readonly maximumRows: number
  /** Days to keep requests. 0 keeps them for ever. */
  readonly usageKeepDays?: number
}

/** Deletes rows that are no longer kept, at most `maximumRows` of each table. Returns whether more are left. */
export function purgeExpired(database: Database, { nowMs, maximumRows, usageKeepDays = 0 }: PurgeOptions): boolean {
  // Whole days (UTC), since sums are by day.
  const usageFrom = usageKeepDays === 0 ? undefined : (Math.floor(nowMs / dayMs) - usageKeepDays) * dayMs
  const times = {
    now: nowMs,
    old: nowMs - keptDays * dayMs,
    yesterday: new Date(nowMs - dayMs).toISOString().slice(0, 10),
    ...(usageFrom !== undefined && { usageFrom }),
  }
  const purge = ({ table, rows: condition }: Kind) => {
    if (condition.includes(':usageFrom') && usageFrom === undefined) return false
    const rows = `SELECT rowid FROM ${table} WHERE ${condition} LIMIT :maximumRows`
    const named = Object.entries(times).filter(([name]) => new RegExp(`:${name}\\b`).test(condition))
    const values = { ...Object.fromEntries(named), maximumRows }
    return database.query(`DELETE FROM ${table} WHERE rowid IN (${rows})`).run(values).changes === maximumRows
  }
  return database
    .transaction(() => {
      if (usageFrom !== undefined) noteKeptFrom(database, 'usage', usageFrom)
      return deletedKinds.map(purge).includes(true)
    })
    .immediate()
}

/** Notes the time from which rows are complete, which sums over them need to know. It never goes back. */
function noteKeptFrom(database: Database, kind: string, timeMs: number): void {
  const sql = `INSERT INTO retention (kind, kept_from) SELECT :kind, :timeMs
    WHERE EXISTS (SELECT 1 FROM usage WHERE created < :timeMs)
    ON CONFLICT DO UPDATE SET kept_from = excluded.kept_from WHERE excluded.kept_from > kept_from`
  database.query(sql).run({ kind, timeMs })
}

/** SQL of the time from which requests are complete, milliseconds UTC: 0 if all are there. */
export const usageKeptFrom = "(SELECT coalesce(max(kept_from), 0) FROM retention WHERE kind = 'usage')"
