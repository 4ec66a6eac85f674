import { Database } from 'bun:sqlite'
import { errorText } from '../core/error-text.ts'
import { migrate, schemaVersion } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { createPrivateFile } from './private-file.ts'

/** Time that a connection waits for another process that has locked the database. */
const lockWaitMs = 5_000

/**
 * Opens the database, makes it when it is not there (readable by its owner only), and brings its schema up to date.
 * Several processes may have it open at once. Throws an error that names the file when it cannot be opened, is no
 * database, or is newer than this program.
 */
export function openDatabase(path: string): Database {
  let database: Database | undefined
  try {
    // Before SQLite does: its log beside the database takes over the permissions.
    if (path !== ':memory:') createPrivateFile(path)
    // strict: a named parameter that is missing is an error and not NULL.
    database = new Database(path, { create: true, strict: true })
    setPragmas(database)
    migrate(database, migrations)
    return database
  } catch (error) {
    database?.close()
    throw namingFile(error, path, 'opened')
  }
}

/**
 * Opens an existing database beside its writer: nothing is written through this connection, and the schema stays. Undefined
 * when the schema is older than this program's. Throws an error that names the file when it is newer, or when the file
 * cannot be read or is no database.
 */
export function openForReading(path: string): Database | undefined {
  let database: Database | undefined
  try {
    // Not read-only: SQLite then could not recover the log of a writer that died.
    database = new Database(path, { readwrite: true, strict: true })
    database.run(`PRAGMA busy_timeout = ${lockWaitMs}`)
    database.run('PRAGMA query_only = ON')
    const version = schemaVersion(database)
    if (version > migrations.length) throw new Error(newerSchema(path, version))
    if (version === migrations.length) return database
    database.close()
    return undefined
  } catch (error) {
    database?.close()
    throw namingFile(error, path, 'read')
  }
}

function newerSchema(path: string, version: number): string {
  return `${path} was written by a newer inferd (schema ${version}, this one knows ${migrations.length}); use that version`
}

function namingFile(error: unknown, path: string, action: 'opened' | 'read'): unknown {
  const reason = errorText(error)
  if (reason.includes(path)) return error
  return new Error(`${path} cannot be ${action} as a database: ${reason}`, { cause: error })
}

/** Applies the settings of each connection, and the file's journal mode. */
export function setPragmas(database: Database): void {
  // First, so that the ones below also wait for other processes instead of failing.
  database.run(`PRAGMA busy_timeout = ${lockWaitMs}`)
  // Readers never wait for the writer, nor the writer for readers.
  database.run('PRAGMA journal_mode = WAL')
  // A power cut loses nothing already reported to a client (a key, money); NORMAL could lose the last transactions.
  database.run('PRAGMA synchronous = FULL')
  // Off by default in SQLite; a setting of the connection, not of the file.
  database.run('PRAGMA foreign_keys = ON')
  // A settlement keeps about 100 kB to undo a statement; as a file that takes time for each request, and room in the temporary folder.
  database.run('PRAGMA temp_store = MEMORY')
}
