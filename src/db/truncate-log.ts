import { Database } from 'bun:sqlite'

/** Moves what the log of a database holds into its file. A file that cannot be read stays as it is. */
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
