import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { StorageError, storageReason } from '../core/errors.ts'

/** Time for which the result of a commit or probe counts, after a success and after a failure. */
const trustedMs = { working: 5_000, failing: 1_000 }

/** Time between two checks of the files. A check takes some microseconds, too long for each request. */
const fileCheckIntervalMs = 100

const moved = 'its files were moved, deleted or replaced while the server runs; put them back, or restart the server'

/**
 * Watches whether writes reach the disk, in the files that the next start will read. Commits report their outcome;
 * without a recent one, the watch writes a page itself.
 */
export class StorageWatch {
  readonly #database: Database
  /** Files as they were opened. SQLite keeps writing to deleted ones. */
  readonly #files: readonly { readonly path: string; readonly id: string | undefined }[]
  #reason: string | undefined
  #wasBusy = false
  #knownAtMs = performance.now()
  #lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(database: Database) {
    this.#database = database
    const { filename } = database
    const paths = filename === '' || filename === ':memory:' ? [] : [filename, `${filename}-wal`]
    this.#files = paths.map((path) => ({ path, id: fileId(path) }))
  }

  /** Throws StorageError if a commit would be lost or fail, by the latest check. */
  require(): void {
    if (performance.now() - this.#lookedAtMs >= fileCheckIntervalMs) this.requireFiles()
    const trusted = this.#reason === undefined ? trustedMs.working : trustedMs.failing
    if (performance.now() - this.#knownAtMs >= trusted) this.#probe()
    if (this.#reason !== undefined) throw new StorageError(this.#reason)
  }

  /** Throws StorageError if the database's files are no longer those that were opened. */
  requireFiles(): void {
    this.#lookedAtMs = Number.NEGATIVE_INFINITY
    if (this.#files.some(({ path, id }) => id !== undefined && fileId(path) !== id)) throw new StorageError(moved)
    this.#lookedAtMs = performance.now()
  }

  /**
   * Records that a commit reached the disk. After a failure the next check writes a page all the same: the commit may
   * be older than the failure, or may have written nothing.
   */
  worked(): void {
    this.#wasBusy = false
    this.#knownAtMs = this.#reason === undefined ? performance.now() : Number.NEGATIVE_INFINITY
  }

  /** Records a failure of the storage. Ignores failures of the work itself. */
  failed(error: unknown): void {
    const reason = storageReason(error)
    // A StorageError comes from the check of the files, which is made each time anyway.
    if (reason === undefined || error instanceof StorageError) return
    this.#reason = reason
    this.#knownAtMs = performance.now()
  }

  /** Writes an unchanged page to the log, without waiting for the disk. */
  #probe(): void {
    try {
      const row = this.#database.query<{ user_version: number }, []>('PRAGMA user_version').get()
      this.#database.run(`PRAGMA user_version = ${row?.user_version ?? 0}`)
      this.#reason = undefined
      this.worked()
    } catch (error) {
      // A short lock is no failure.
      if (isBusy(error) && !this.#wasBusy) this.#knownAtMs = performance.now()
      else this.failed(error)
      this.#wasBusy = isBusy(error)
    }
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

/** Returns the file's id; undefined if it does not exist or cannot be read. */
function fileId(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && `${found.dev}:${found.ino}`
  } catch {
    return undefined
  }
}
