import { Database } from 'bun:sqlite'
import { createPrivateFile } from './private-file.ts'

const lockWaitMs = 5_000

/**
 * Copies a database as of one moment, with the content of its log, while its writer continues. The file at `to` must
 * not exist. Blocks for about 15 ms per megabyte. Returns the schema's version.
 */
export function copyDatabase(from: string, to: string): number {
  createPrivateFile(to)
  // Not read-only, since SQLite then could not recover the log of a writer that died.
  using database = new Database(from, { readwrite: true, strict: true })
  database.run(`PRAGMA busy_timeout = ${lockWaitMs}`)
  const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get()
  // Not `serialize`, which holds the whole copy in memory. Bun does not offer SQLite's backup API.
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
    // The file is damaged or is no database, so nobody needs its log.
  } finally {
    database?.close()
  }
}
