import type { Database } from 'bun:sqlite'
import { isBusy, StorageWatch } from './storage-watch.ts'

export interface CommitOptions {
  /**
   * Waits for the disk (default), so that the work survives a power cut. Otherwise it survives only the end of this process.
   */
  readonly isDurable?: boolean
}

/** How long work waits while another process keeps the database locked, and how often it retries. */
const lockWaits = { limitMs: 5_000, retryMs: 20 }
/** How long SQLite itself waits, which stops the whole process. */
const blockingWaitMs = 2

interface Job {
  readonly run: () => void
  readonly isDurable: boolean
  readonly giveUpAtMs: number
  readonly committed: () => void
  readonly failed: (error: unknown) => void
}

/**
 * The writer of a server. Work that is given in the same turn of the event loop is committed in one transaction, in order,
 * since waiting for the disk costs more than everything else.
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

  /** From now on SQLite fails at once when another process has locked the database; only work given to `run` waits. */
  constructor(database: Database, { lockWaitMs = lockWaits.limitMs }: { readonly lockWaitMs?: number } = {}) {
    this.#database = database
    this.#lockWaitMs = lockWaitMs
    this.#storage = new StorageWatch(database)
    this.#inTransaction = transactionOf(database)
    database.run(`PRAGMA busy_timeout = ${blockingWaitMs}`)
  }

  /**
   * Throws StorageError when nothing can be written now: the disk is full, the files are gone, or another process keeps the
   * database locked. For refusing work early.
   */
  requireStorage(): void {
    this.#storage.require()
  }

  /**
   * Runs `work` inside the next transaction and resolves with its result after the commit. `work` is synchronous; when it
   * throws, its own changes are undone and the promise rejects with the same error. While another process keeps the database
   * locked it waits, up to a limit, without blocking anything else.
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

  /** Commits the waiting work and accepts no more. */
  close(): void {
    this.#isClosed = true
    // Blocking delays nothing any more.
    this.#database.run(`PRAGMA busy_timeout = ${this.#lockWaitMs}`)
    this.#commit()
  }

  #commit(): void {
    clearTimeout(this.#retry)
    const jobs = this.#waiting
    this.#waiting = []
    if (jobs.length === 0) return
    const outcomes = new Map<Job, unknown>()
    // Work that is not durable may be lost with the files too, and some of it does not write.
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

  /** The lock is taken before any work runs, so all of it can be retried. */
  #waitForLock(jobs: readonly Job[], error: unknown): void {
    const now = performance.now()
    this.#waiting = jobs.filter((job) => job.giveUpAtMs > now)
    if (this.#waiting.length < jobs.length) this.#storage.failed(error)
    for (const job of jobs) if (job.giveUpAtMs <= now) job.failed(error)
    if (this.#waiting.length > 0) this.#retry = setTimeout(() => this.#commit(), lockWaits.retryMs)
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
            if (!database.inTransaction) throw error // SQLite rolled everything back: disk full, I/O error
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
