import type { Database } from 'bun:sqlite'
import { isBusy, StorageWatch } from './storage-watch.ts'

export interface CommitOptions {
  /**
   * Wait until the disk has it (default), so that it survives a power cut. Without, it survives the death of this process
   * all the same, and costs no waiting for the disk.
   */
  readonly isDurable?: boolean
}

/** How long work waits for another process that keeps the database locked, and how often it looks. */
const lockWaits = { mostMs: 5_000, againMs: 20 }
/** While SQLite itself waits, this process does nothing else. */
const blockingWaitMs = 2

interface Job {
  readonly run: () => void
  readonly isDurable: boolean
  readonly giveUpAtMs: number
  readonly committed: () => void
  readonly failed: (error: unknown) => void
}

/**
 * The writer of a server: what is asked for in one moment is committed together, in order, in one transaction, since a
 * commit that waits for the disk costs more than everything in it.
 */
export class GroupCommit {
  readonly #database: Database
  readonly #lockWaitMs: number
  readonly #storage: StorageWatch
  /** Made once: making one costs more than running it. */
  readonly #inTransaction: ReturnType<typeof transactionOf>
  #waiting: Job[] = []
  #retry: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  /** From now on SQLite fails at once when another process has locked the database. Only work given to `run` waits for it. */
  constructor(database: Database, { lockWaitMs = lockWaits.mostMs }: { readonly lockWaitMs?: number } = {}) {
    this.#database = database
    this.#lockWaitMs = lockWaitMs
    this.#storage = new StorageWatch(database)
    this.#inTransaction = transactionOf(database)
    database.run(`PRAGMA busy_timeout = ${blockingWaitMs}`)
  }

  /**
   * Throws StorageError when nothing can be written now: the disk is full, the files are gone, another process has kept
   * the database locked for long. Good for refusing work early.
   */
  requireStorage(): void {
    this.#storage.require()
  }

  /**
   * Runs `work` inside the next transaction and resolves with its result after the commit. `work` is synchronous; when it
   * throws, what it did is undone, others' work is not, and the promise rejects with the same. While another process keeps
   * the database locked it waits, up to a limit, without holding up anything else.
   */
  run<Result>(work: () => Result, { isDurable = true }: CommitOptions = {}): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new Error('the database is closed'))
    return new Promise((resolve, reject) => {
      let result: { value: Result } | undefined
      if (this.#waiting.length === 0) setImmediate(() => this.#commit())
      this.#waiting.push({
        run: () => {
          result = { value: work() }
        },
        isDurable,
        giveUpAtMs: performance.now() + this.#lockWaitMs,
        committed: () => resolve((result as { value: Result }).value), // set by run, which goes before
        failed: reject,
      })
    })
  }

  /** Commits what is waiting and takes no more. */
  close(): void {
    this.#isClosed = true
    // Nothing else runs any more that waiting would delay.
    this.#database.run(`PRAGMA busy_timeout = ${this.#lockWaitMs}`)
    this.#commit()
  }

  #commit(): void {
    clearTimeout(this.#retry)
    const jobs = this.#waiting
    this.#waiting = []
    if (jobs.length === 0) return
    const outcomes = new Map<Job, unknown>()
    // Work that need not survive a power cut may be lost with the files too, and some of it does not write.
    const isDurable = jobs.some((job) => job.isDurable)
    try {
      if (isDurable) this.#storage.requireFiles()
      this.#transaction(jobs, outcomes)
      if (isDurable) this.#storage.worked()
    } catch (error) {
      if (isBusy(error) && !this.#isClosed) {
        this.#waitForLock(jobs, error)
        return
      }
      this.#storage.failed(error)
      for (const job of jobs) job.failed(outcomes.has(job) ? outcomes.get(job) : error)
      return
    }
    for (const job of jobs) {
      if (!outcomes.has(job)) job.committed()
      else {
        this.#storage.failed(outcomes.get(job))
        job.failed(outcomes.get(job))
      }
    }
  }

  /** The lock is asked for before any work is run, so all of it can be tried again. */
  #waitForLock(jobs: readonly Job[], error: unknown): void {
    const now = performance.now()
    this.#waiting = jobs.filter((job) => job.giveUpAtMs > now)
    if (this.#waiting.length < jobs.length) this.#storage.failed(error)
    for (const job of jobs) if (job.giveUpAtMs <= now) job.failed(error)
    if (this.#waiting.length > 0) this.#retry = setTimeout(() => this.#commit(), lockWaits.againMs)
  }

  #transaction(jobs: readonly Job[], failures: Map<Job, unknown>): void {
    const database = this.#database
    const waitsForDisk = jobs.some((job) => job.isDurable)
    if (!waitsForDisk) database.run('PRAGMA synchronous = NORMAL')
    try {
      this.#inTransaction.immediate(() => {
        for (const job of jobs) {
          try {
            // Inside a transaction this is a savepoint.
            this.#inTransaction(job.run)
          } catch (error) {
            if (!database.inTransaction) throw error // SQLite gave all of it up: disk full, I/O error
            failures.set(job, error)
          }
        }
      })
    } finally {
      if (!waitsForDisk) database.run('PRAGMA synchronous = FULL')
    }
  }
}

/** Runs work in a transaction, or in a savepoint of the one that is open. */
function transactionOf(database: Database) {
  return database.transaction((work: () => void) => work())
}
