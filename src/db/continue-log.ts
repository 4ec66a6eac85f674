/** Audit log of a restored database, which goes on where that of the replaced one ended. */
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import type { JsonObject } from '../core/json.ts'
import { type ChainedRow, chainedColumns, chainRow, type UnchainedRow } from './audit-chain.ts'

interface Restore {
  readonly actor: string
  /** Facts of the restore. No two restores have the same. */
  readonly details: JsonObject
  /** Milliseconds UTC. */
  readonly nowMs: number
}

const action = 'backup.restore'

/**
 * Adds the rows that the replaced log has gained since the backup, and a row about the restore, and ends all sessions,
 * since some may have been ended after the backup. Does all of it or nothing, and only once for each restore. A replaced
 * database that cannot be read, or is of another server, adds no rows.
 */
export function continueLog(restored: Database, replacedPath: string, { actor, details, nowMs }: Restore): void {
  const latest = restored
    .query<ChainedRow, []>(`SELECT ${chainedColumns} FROM audit_log ORDER BY id DESC LIMIT 1`)
    .get()
  const own = JSON.stringify(details)
  if (latest?.action === action && latest.details === own) return
  const insert = restored.query(
    `INSERT INTO audit_log (${chainedColumns})
     VALUES (:id, :created, :actor, :action, :account_id, :details, :salt, :digest, :chain)`,
  )
  restored
    .transaction(() => {
      let last = latest
      const append = (row: LaterRow) => {
        const { id, created, actor, action, account_id, details } = row
        const chained = chainRow(last?.chain, row)
        last = { id, created, actor, action, account_id, details, ...chained }
        insert.run({ ...last })
      }
      for (const row of latest === null ? [] : rowsSince(replacedPath, latest)) append(row)
      append({ id: (last?.id ?? 0) + 1, created: nowMs, actor, action, account_id: null, details: own })
      restored.run('DELETE FROM sessions')
    })
    .immediate()
}

/** Row of a log that may be of a version without chains. */
type LaterRow = UnchainedRow & Partial<Pick<ChainedRow, 'salt' | 'digest'>>

/** Returns the rows after this one. Empty if the database cannot be read or does not have this very row. */
function rowsSince(path: string, latest: ChainedRow): readonly LaterRow[] {
  if (!existsSync(path)) return []
  let database: Database | undefined
  try {
    // Not read-only, since SQLite then could not recover the log of a server that died.
    database = new Database(path, { readwrite: true, strict: true })
    const [same, ...later] = database
      .query<LaterRow, [number]>('SELECT * FROM audit_log WHERE id >= ? ORDER BY id')
      .all(latest.id)
    return same !== undefined && isSame(same, latest) ? later : []
  } catch {
    return []
  } finally {
    database?.close()
  }
}

/** Returns whether two rows are the same. Details may have been erased in one of them, and salts are made at migration. */
function isSame(one: LaterRow, other: ChainedRow): boolean {
  const isErased = one.salt === null || other.salt === null
  const fields = ({ id, created, actor, action, account_id: account, details }: UnchainedRow) => [
    ...[id, created, actor, action, account],
    isErased ? undefined : details,
  ]
  return Bun.deepEquals(fields(one), fields(other))
}
