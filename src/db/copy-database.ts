import { Database } from 'bun:sqlite'
import { createPrivateFile } from './private-file.ts'

const lockWaitMs = 5_000

/**
 * Copies a database as it is at one moment, beside its writer, which goes on meanwhile; what its log holds is part of the copy. The
 * file at `to` must not be there. Blocks until it is done: about 15 ms a megabyte. Returns the schema's version.
 */
export function copyDatabase(from: string, to: string): number {
  createPrivateFile(to)
  // Not read-only: SQLite then could not recover the log of a writer that died.
  using database = new Database(from, { readwrite: true, strict: true })
  database.run(`PRAGMA busy_timeout = ${lockWaitMs}`)
  const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get()
  // Not `serialize`, which holds all of it in memory; SQLite's backup API is not reachable from Bun.
  database.query('VACUUM INTO ?').run(to)
  return row?.user_version ?? 0
}

/** Moves the log of a database into its file. Leaves a file that cannot be read unchanged. */
export function truncateLog(path: string): void {
  let database: Database | undefined
  try {
    database = new Database(path, { readwrite: true })
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // Damaged, or no database: its log serves nobody.
  } finally {
    database?.close()
  }
}
