/** Repairs and deletions at a server's start. */
import type { Database } from 'bun:sqlite'
import { dayMs } from '../core/durations.ts'
import { parseEmail } from './email-address.ts'

/** Two accounts whose addresses count as different by an earlier version's rules, and as equal by today's. */
interface EmailConflict {
  /** Account that still signs in by the address. */
  readonly ownerId: string
  /** Account that can no longer sign in by the address. It keeps its keys, balance and sessions. */
  readonly accountId: string
}

/**
 * Applies today's rules to the addresses of accounts that earlier versions made. Reads only addresses beyond ASCII,
 * since the rules agree on all others.
 */
export function renewEmailKeys(database: Database): EmailConflict[] {
  const find = database.query<{ id: string }, [string]>('SELECT id FROM accounts WHERE email_key = ?')
  const update = database.query('UPDATE accounts SET email_key = :key WHERE id = :id')
  const conflicts: EmailConflict[] = []
  database
    .transaction(() => {
      const rows = database
        .query<{ id: string; email: string; email_key: string }, []>(
          "SELECT id, email, email_key FROM accounts WHERE email GLOB '*[^ -~]*' ORDER BY created, rowid",
        )
        .all()
      for (const { id, email, email_key: before } of rows) {
        const key = parseEmail(email)?.key ?? before
        if (key === before) continue
        const owner = find.get(key)
        if (owner === null) update.run({ id, key })
        else conflicts.push({ ownerId: owner.id, accountId: id })
      }
    })
    .immediate()
  return conflicts
}

/** Days to keep mails, keys that ended unused, and expired links, so that the page can explain why a link fails. */
const keptDays = 30

/** SQL conditions of rows to delete, by table; an index finds each. Used keys stay, since the books name them. */
const meaningless: readonly (readonly [table: string, condition: string])[] = [
  ['sessions', 'expires <= :now'],
  ['mail_tokens', 'expires <= :old'],
  ['setup_links', 'expires <= :old'],
  ['outbox', 'created < :old'],
  ['signups', 'day < :yesterday'],
  [
    'api_keys',
    `last_used IS NULL AND coalesce(revoked, expires) <= :old AND is_playground = 0 AND is_keyless = 0
      AND NOT EXISTS (SELECT 1 FROM usage WHERE key_id = api_keys.id)
      AND NOT EXISTS (SELECT 1 FROM usage_days WHERE key_id = api_keys.id)`,
  ],
]

/** Deletes expired rows, at most `maximumRows` of each table. Returns whether more are left. */
export function purgeExpired(database: Database, nowMs: number, maximumRows: number): boolean {
  const times = {
    now: nowMs,
    old: nowMs - keptDays * dayMs,
    yesterday: new Date(nowMs - dayMs).toISOString().slice(0, 10),
  }
  const purge = ([table, condition]: (typeof meaningless)[number]) => {
    const rows = `SELECT rowid FROM ${table} WHERE ${condition} LIMIT :maximumRows`
    const named = Object.entries(times).filter(([name]) => condition.includes(`:${name}`))
    const values = { ...Object.fromEntries(named), maximumRows }
    return database.query(`DELETE FROM ${table} WHERE rowid IN (${rows})`).run(values).changes === maximumRows
  }
  return database.transaction(() => meaningless.map(purge).includes(true)).immediate()
}
