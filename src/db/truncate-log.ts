import { Database } from 'bun:sqlite'

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
