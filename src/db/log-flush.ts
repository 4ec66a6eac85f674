import type { Database } from 'bun:sqlite'
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'

/** Waits for the disk, beside the event loop. */
export type FlushFile = (descriptor: number) => Promise<void>

const flushFile: FlushFile = (descriptor) =>
  new Promise((resolve, reject) => fdatasync(descriptor, (error) => (error ? reject(error) : resolve())))

/**
 * Brings the write-ahead log of a database to the disk while the event loop goes on. SQLite's commits leave that out
 * (`synchronous = NORMAL`). One flush runs at a time, and whatever is committed meanwhile shares the next. The log keeps the
 * order of commits: one that is on the disk has all earlier ones there.
 */
export class LogFlush {
  readonly #database: Database
  readonly #flushFile: FlushFile
  #descriptor: number | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  /** A flush failed: the system may take pages for written that are not, so the log alone is not enough any more. */
  #isSuspect = false
  /** Time that the last flush took. */
  #lastMs = Number.POSITIVE_INFINITY

  constructor(database: Database, flush = flushFile) {
    this.#database = database
    this.#flushFile = flush
  }

  /**
   * Resolves when all that was committed before this call is on the disk. Rejects when the disk fails. `blockLimitMs`: a disk that took less
   * the last time may stop the event loop.
   */
  flush({ blockLimitMs = 0 } = {}): Promise<void> {
    if (this.#next !== undefined) return this.#next
    if (this.#running === undefined && this.#lastMs < blockLimitMs && this.#flushNow()) return Promise.resolve()
    if (this.#running === undefined) return this.#start()
    const start = () => {
      this.#next = undefined
      return this.#start()
    }
    this.#next = this.#running.then(start, start)
    return this.#next
  }

  /** Closes the log. Call it once, after the last flush was requested. */
  close(): void {
    const end = () => {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    }
    ;(this.#next ?? this.#running ?? Promise.resolve()).then(end, end)
  }

  #start(): Promise<void> {
    this.#running = this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Returns false if it did not work: then the usual way finds out why. */
  #flushNow(): boolean {
    const descriptor = this.#descriptor
    if (descriptor === undefined || this.#isSuspect || this.#flushFile !== flushFile) return false
    const beginMs = performance.now()
    try {
      fdatasyncSync(descriptor)
    } catch {
      this.#isSuspect = true
      return false
    }
    this.#lastMs = performance.now() - beginMs
    return true
  }

  async #run(): Promise<void> {
    const { filename } = this.#database
    if (filename === '' || filename === ':memory:') return
    try {
      this.#descriptor ??= openSync(`${filename}-wal`, 'r')
      const beginMs = performance.now()
      if (!this.#isSuspect) {
        await this.#flushFile(this.#descriptor)
        this.#lastMs = performance.now() - beginMs
        return
      }
    } catch {
      this.#isSuspect = true
    }
    this.#checkpoint()
  }

  /** Writes the log's content to the database's file and waits for that. */
  #checkpoint(): void {
    const database = this.#database
    database.run('PRAGMA synchronous = FULL')
    try {
      const result = database.query<{ busy: number }, []>('PRAGMA wal_checkpoint(FULL)').get()
      if (result?.busy !== 0) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
      this.#isSuspect = false
    } finally {
      database.run('PRAGMA synchronous = NORMAL')
    }
  }
}
