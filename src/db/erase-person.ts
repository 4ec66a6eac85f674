import type { Database } from 'bun:sqlite'
import { type PersonalTable, personalTables } from './personal-data.ts'

/** Returns the ids of erased accounts with the times of their erasures in milliseconds UTC. */
export function listErasures(database: Database): ReadonlyMap<string, number> {
  const rows = database.query<{ id: string; created: number }, []>(
    'SELECT account_id AS id, created FROM erasures ORDER BY created',
  )
  return new Map(rows.all().map(({ id, created }) => [id, created]))
}

/**
 * Erases the person of an account by the table of personal data. Money, counts and ids stay, so all sums do. Returns
 * false, without a change, if there is no such account or it was erased before. Call it within a transaction.
 */
export function erasePerson(database: Database, account: string, nowMs: number): boolean {
  const isNew = database.query(
    'INSERT INTO erasures (account_id, created) SELECT id, :now FROM accounts WHERE id = :account ON CONFLICT DO NOTHING',
  )
  if (isNew.run({ account, now: nowMs }).changes === 0) return false
  for (const [table, rule] of Object.entries<PersonalTable>(personalTables)) {
    const sql = eraseSql(table, rule)
    if (sql === undefined) continue
    database.query(sql).run({ account, ...(sql.includes(':now') && { now: nowMs }) })
  }
  return true
}

/** Returns the statement that erases a person's rows of a table; undefined if all of it stays. */
function eraseSql(table: string, { rows, erased }: PersonalTable): string | undefined {
  if (erased === 'rows') return `DELETE FROM ${table} WHERE ${rows}`
  const columns = Object.entries(erased)
  if (columns.length === 0) return undefined
  const set = columns.map(([column, value]) => `${column} = ${value}`).join(', ')
  // Rows that hold nothing to erase are not written.
  const isOther = columns.map(([column, value]) => `${column} IS NOT ${value}`).join(' OR ')
  return `UPDATE ${table} SET ${set} WHERE (${rows}) AND (${isOther})`
}
