import { Database } from 'bun:sqlite'
import { createPrivateFile } from './private-file.ts'

/** Held by the one server of a data folder. The system releases it too when the process dies. */
export type ServerLock = Disposable

/**
 * Takes the lock file at `path`, or returns undefined when another process (or this one) holds it. SQLite's exclusive
 * transaction is the lock: an advisory lock of the system, which cannot outlive its process as a pid file does. `waitMs`: how
 * long to wait while another process holds it.
 */
export function takeServerLock(
  path: string,
  { waitMs = 0 }: { readonly waitMs?: number } = {},
): ServerLock | undefined {
  createPrivateFile(path) // users who can open the file can lock it
  const database = new Database(path, { create: true })
  try {
    database.run(`PRAGMA busy_timeout = ${Math.round(waitMs)}`)
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
  return {
    [Symbol.dispose]() {
      database.run('ROLLBACK')
      database.close()
    },
  }
}
