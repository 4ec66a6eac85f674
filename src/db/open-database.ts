import { Database } from 'bun:sqlite'
import { errorText } from '../core/error-text.ts'
import { migrate, schemaVersion } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { createPrivateFile } from './private-file.ts'

/** Time that a connection waits for another process that has locked the database. */
const lockWaitMs = 5_000

/**
 * Opens the database, creates it if it does not exist (readable by its owner only), and brings its schema up to date.
 * Several processes may have it open. Throws an error that names the file if it cannot be opened, is no database, or is
 * newer than this program.
 */
export function openDatabase(path: string): Database {
  let database: Database | undefined
  try {
    // Created before SQLite does it, because SQLite copies its permissions to the log beside it.
    if (path !== ':memory:') createPrivateFile(path)
    // strict: a missing named parameter is an error instead of NULL.
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
 * Opens an existing database beside its writer, neither to write nor to migrate it. Undefined if its schema is older
 * than this program's. Throws an error that names the file if it is newer, cannot be read or is no database.
 */
export function openForReading(path: string): Database | undefined {
  let database: Database | undefined
  try {
    // Not read-only, since SQLite then could not recover the log of a writer that died.
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

/** Applies the settings of a connection, and the file's journal mode. */
export function setPragmas(database: Database): void {
  // First, so that the statements below wait for other processes instead of failing.
  database.run(`PRAGMA busy_timeout = ${lockWaitMs}`)
  // Readers never wait for the writer, nor the writer for readers.
  database.run('PRAGMA journal_mode = WAL')
  // A power cut loses nothing that a client was told of (a key, money). NORMAL could lose the last transactions.
  database.run('PRAGMA synchronous = FULL')
  // Deleted rows are overwritten: addresses of ended sessions, and persons who were erased.
  database.run('PRAGMA secure_delete = ON')
  // Off by default in SQLite, and set per connection instead of per file.
  database.run('PRAGMA foreign_keys = ON')
  // A settlement needs about 100 kB to undo a statement. A file for that would take time in each request, and space in
  // the temporary folder.
  database.run('PRAGMA temp_store = MEMORY')
}
