/** Audit log of a restored database, which goes on where that of the replaced one ended. */
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import type { JsonObject } from '../core/json.ts'

interface Restore {
  readonly actor: string
  /** Facts of the restore. No two restores have the same. */
  readonly details: JsonObject
  /** Milliseconds UTC. */
  readonly nowMs: number
}

interface Row {
  readonly id: number
  readonly created: number
  readonly actor: string
  readonly action: string
  readonly account_id: string | null
  readonly details: string
}

const action = 'backup.restore'
const columns = 'id, created, actor, action, account_id, details'

/**
 * Adds the rows that the replaced log has gained since the backup, and a row about the restore, and ends all sessions,
 * since some may have been ended after the backup. Does all of it or nothing, and only once for each restore. A replaced
 * database that cannot be read, or is of another server, adds no rows.
 */
export function continueLog(restored: Database, replacedPath: string, { actor, details, nowMs }: Restore): void {
  const latest = restored.query<Row, []>(`SELECT ${columns} FROM audit_log ORDER BY id DESC LIMIT 1`).get()
  const own = JSON.stringify(details)
  if (latest?.action === action && latest.details === own) return
  const insert = restored.query<unknown, [string, string, number, string | null, string]>(
    'INSERT INTO audit_log (actor, action, created, account_id, details) VALUES (?, ?, ?, ?, ?)',
  )
  restored
    .transaction(() => {
      for (const row of latest === null ? [] : rowsSince(replacedPath, latest))
        insert.run(row.actor, row.action, row.created, row.account_id, row.details)
      insert.run(actor, action, nowMs, null, own)
      restored.run('DELETE FROM sessions')
    })
    .immediate()
}

/** Returns the rows after this one. Empty if the database cannot be read or does not have this very row. */
function rowsSince(path: string, latest: Row): Row[] {
  if (!existsSync(path)) return []
  let database: Database | undefined
  try {
    // Not read-only, since SQLite then could not recover the log of a server that died.
    database = new Database(path, { readwrite: true, strict: true })
    const [same, ...later] = database
      .query<Row, [number]>(`SELECT ${columns} FROM audit_log WHERE id >= ? ORDER BY id`)
      .all(latest.id)
    return same !== undefined && Bun.deepEquals(same, latest) ? later : []
  } catch {
    return []
  } finally {
    database?.close()
  }
}
