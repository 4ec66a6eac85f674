import type { Database } from 'bun:sqlite'
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'

/** Flushes a file to the disk, beside the event loop. */
export type FlushFile = (descriptor: number) => Promise<void>

const flushFile: FlushFile = (descriptor) =>
  new Promise((resolve, reject) => fdatasync(descriptor, (error) => (error ? reject(error) : resolve())))

/**
 * Flushes the write-ahead log of a database while the event loop continues, since SQLite's commits do not (`synchronous
 * = NORMAL`). One flush runs at a time; everything committed meanwhile shares the next. The log is in order: a commit
 * on the disk has all earlier ones there.
 */
export class LogFlush {
  readonly #database: Database
  readonly #flushFile: FlushFile
  #descriptor: number | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  /**
   * True after a failed flush. The system may then count unwritten pages as written, so flushing the log is not enough.
   */
  #isSuspect = false
  /** Duration of the last flush. */
  #lastMs = Number.POSITIVE_INFINITY

  constructor(database: Database, flush = flushFile) {
    this.#database = database
    this.#flushFile = flush
  }

  /**
   * Resolves when everything committed before this call is on the disk. Rejects if the disk fails. May block the event
   * loop if the last flush took less than `blockLimitMs`.
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

  /** Returns false after a failure: the caller then flushes beside the event loop, which finds the reason. */
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

  /** Moves the log's content into the database's file and flushes that. */
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
