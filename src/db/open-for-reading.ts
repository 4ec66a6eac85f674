import { Database } from 'bun:sqlite'
import { schemaVersion } from './migrate.ts'
import { migrations } from './migrations/index.ts'

/**
 * Opens a database that is there, beside its writer: nothing is written through this connection, and the schema stays.
 * Undefined when the schema is older than this program's. Throws an error that names the file when it is newer, or when
 * the file can not be read or is no database.
 */
export function openForReading(path: string): Database | undefined {
  let database: Database | undefined
  try {
    // Not read-only: SQLite then could not recover the log of a writer that died.
    database = new Database(path, { readwrite: true, strict: true })
    database.run('PRAGMA busy_timeout = 5000')
    database.run('PRAGMA query_only = ON')
    const version = schemaVersion(database)
    if (version > migrations.length) throw new Error(newerSchema(path, version))
    if (version === migrations.length) return database
    database.close()
    return undefined
  } catch (error) {
    database?.close()
    const reason = error instanceof Error ? error.message : String(error)
    if (reason.includes(path)) throw error
    throw new Error(`${path} can not be read as a database: ${reason}`, { cause: error })
  }
}

function newerSchema(path: string, version: number): string {
  return `${path} was written by a newer inferd (schema ${version}, this one knows ${migrations.length}); use that version`
}
