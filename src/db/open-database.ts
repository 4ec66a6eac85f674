import { Database } from 'bun:sqlite'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { createPrivateFile } from './private-file.ts'

/**
 * Opens the database, makes it when it is not there (readable by its owner only), and brings its schema up to date.
 * Several processes may have it open at once. Throws an error that names the file when it can not be opened, is no
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
    const reason = error instanceof Error ? error.message : String(error)
    if (reason.includes(path)) throw error
    throw new Error(`${path} can not be opened as a database: ${reason}`, { cause: error })
  }
}

function setPragmas(database: Database): void {
  // First, so that the ones below wait for other processes too instead of failing.
  database.run('PRAGMA busy_timeout = 5000')
  // Readers never wait for the writer, nor the writer for readers.
  database.run('PRAGMA journal_mode = WAL')
  // What a client was told (a key, later its money) survives a power cut; NORMAL could lose the last transactions.
  database.run('PRAGMA synchronous = FULL')
  // Off by default in SQLite; a setting of the connection, not of the file.
  database.run('PRAGMA foreign_keys = ON')
}
