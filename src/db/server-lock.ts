import { Database } from 'bun:sqlite'
import { createPrivateFile } from './private-file.ts'

/** Lock of the one server of a data folder. The system also releases it when the process dies. */
export type ServerLock = Disposable

/**
 * Takes the lock file at `path`; returns undefined if another process (or this one) holds it. The lock is an exclusive
 * transaction of SQLite, an advisory lock that cannot outlive its process, unlike a pid file. `waitMs`: time to wait
 * for another process.
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
