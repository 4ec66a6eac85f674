import type { Database } from 'bun:sqlite'
import { storageReason, UnflushedError } from '../core/errors.ts'
import { type FlushFile, LogFlush } from './log-flush.ts'
import { isBusy, StorageWatch } from './storage-watch.ts'

export interface CommitOptions {
  /**
   * True (default) to wait for the disk, so that the work survives a power cut. Without that, it survives only the end
   * of this process.
   */
  readonly isDurable?: boolean
  /** True if no other request runs, so that blocking the event loop delays nobody. */
  readonly isAlone?: boolean
}

/** Time to wait for another process that keeps the database locked, and time between two tries. */
const lockWaits = { limitMs: 5_000, retryMs: 20 }
/** Limit of SQLite's own wait for a lock, which blocks the whole process. */
const blockingWaitMs = 2

/**
 * Milliseconds of the last flush below which the next may block the event loop, by load. Waking a thread takes 0.1 ms,
 * and a waiting answer would be sent in two parts.
 */
const blockLimitsMs = { alone: 1, calm: 0.5 }

/**
 * Number of consecutive event loop turns with one job each after which jobs are committed at once. With several jobs
 * per turn, one commit for all is cheaper.
 */
const calmAfterTurns = 3

/**
 * Pages of 4 kB in the log after which SQLite moves it into the file. That blocks the process for some milliseconds:
 * every 200 charges, instead of every 50 with SQLite's default of 1000 pages.
 */
const checkpointPages = 4_000

interface Job {
  readonly run: () => void
  readonly isDurable: boolean
  readonly isAlone: boolean
  readonly giveUpAtMs: number
  readonly committed: () => void
  readonly failed: (error: unknown) => void
}

export interface GroupCommitOptions {
  /** Time that a write waits while another process keeps the database locked. */
  readonly lockWaitMs?: number
  /** Flushes a file to the disk. Defaults to the system's flush. */
  readonly flush?: FlushFile
}

/**
 * The database's writer in a server. Commits the work of one turn of the event loop in one transaction, in order; under
 * little load, commits the first work of a turn at once. Durable work then waits for the disk, beside the event loop
 * unless blocking is faster, and shares that wait with everything committed meanwhile.
 */
export class GroupCommit {
  readonly #database: Database
  readonly #lockWaitMs: number
  readonly #storage: StorageWatch
  readonly #log: LogFlush
  /** Transaction made once, since making one costs more than running it. */
  readonly #inTransaction: ReturnType<typeof transactionOf>
  #waiting: Job[] = []
  #retry: ReturnType<typeof setTimeout> | undefined
  /** Jobs so far in this turn of the event loop. */
  #jobsOfTurn = 0
  /** Consecutive turns with one job each. Turns without jobs do not count. */
  #calmTurns = calmAfterTurns
  #isClosed = false

  /**
   * Takes over the connection. While another process has locked the database, statements outside of `run` fail at once,
   * and work in `run` waits. Commits outside of `run` do not wait for the disk.
   */
  constructor(database: Database, { lockWaitMs = lockWaits.limitMs, flush }: GroupCommitOptions = {}) {
    this.#database = database
    this.#lockWaitMs = lockWaitMs
    this.#storage = new StorageWatch(database)
    this.#log = new LogFlush(database, flush)
    this.#inTransaction = transactionOf(database)
    database.run('PRAGMA synchronous = NORMAL')
    database.run(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    database.run(`PRAGMA busy_timeout = ${blockingWaitMs}`)
  }

  /**
   * Throws StorageError if nothing can be written now, so that work is refused early: the disk is full, the files are
   * gone, or another process keeps the database locked.
   */
  requireStorage(): void {
    this.#storage.require()
  }

  /** True within work that `run` runs. */
  get isInTransaction(): boolean {
    return this.#database.inTransaction
  }

  /**
   * Runs `work` in the next transaction and resolves with its result after the commit. `work` is synchronous; if it
   * throws, its changes are undone and the promise rejects with its error. While another process keeps the database
   * locked, `work` waits up to a limit and blocks nothing. If the disk fails after the commit, the promise rejects with
   * UnflushedError and the changes stay.
   */
  run<Result>(work: () => Result, { isDurable = true, isAlone = false }: CommitOptions = {}): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new Error('the database is closed'))
    return new Promise((resolve, reject) => {
      let result: { value: Result } | undefined
      this.#schedule()
      this.#waiting.push({
        run: () => {
          result = { value: work() }
        },
        isDurable,
        isAlone,
        giveUpAtMs: performance.now() + this.#lockWaitMs,
        committed: () => resolve((result as { value: Result }).value), // set by run, which goes before
        failed: reject,
      })
    })
  }

  /** Commits the waiting work and accepts no more. */
  close(): void {
    this.#isClosed = true
    // The process ends, so a blocking wait delays nobody.
    this.#database.run(`PRAGMA busy_timeout = ${this.#lockWaitMs}`)
    this.#commit()
    this.#log.close()
  }

  /**
   * Schedules a commit at the end of the turn, and under little load another at once, so that the first jobs need not
   * wait for the rest of the turn.
   */
  #schedule(): void {
    if (this.#retry !== undefined) return
    this.#jobsOfTurn++
    if (this.#jobsOfTurn > 1) return
    setImmediate(() => this.#endTurn())
    if (this.#isCalm()) queueMicrotask(() => this.#commit())
  }

  #isCalm(): boolean {
    return this.#calmTurns >= calmAfterTurns
  }

  #endTurn(): void {
    this.#calmTurns = this.#jobsOfTurn === 1 ? this.#calmTurns + 1 : 0
    this.#jobsOfTurn = 0
    if (this.#retry === undefined) this.#commit()
  }

  #commit(): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    const jobs = this.#waiting
    this.#waiting = []
    if (jobs.length === 0) return
    const failures = new Map<Job, unknown>()
    try {
      // Work that is not durable may be lost together with the files, and some of it writes nothing.
      if (jobs.some((job) => job.isDurable)) this.#storage.requireFiles()
      this.#transaction(jobs, failures)
    } catch (error) {
      if (isBusy(error) && !this.#isClosed) {
        this.#waitForLock(jobs, error)
        return
      }
      this.#storage.failed(error)
      for (const job of jobs) job.failed(failures.has(job) ? failures.get(job) : error)
      return
    }
    const done = jobs.filter((job) => !failures.has(job))
    for (const [job, error] of failures) {
      this.#storage.failed(error)
      job.failed(error)
    }
    for (const job of done) if (!job.isDurable) job.committed()
    this.#flush(done.filter((job) => job.isDurable))
  }

  #flush(jobs: readonly Job[]): void {
    if (jobs.length === 0) return
    this.#log.flush({ blockLimitMs: this.#blockLimitMs(jobs) }).then(
      () => {
        this.#storage.worked()
        for (const job of jobs) job.committed()
      },
      (error: unknown) => {
        this.#storage.failed(error)
        const unflushed = new UnflushedError(storageReason(error) ?? 'its disk fails', { cause: error })
        for (const job of jobs) job.failed(unflushed)
      },
    )
  }

  #blockLimitMs(jobs: readonly Job[]): number {
    const [first] = jobs
    if (first === undefined || jobs.length > 1) return 0
    if (first.isAlone) return blockLimitsMs.alone
    return this.#isCalm() ? blockLimitsMs.calm : 0
  }

  /** Retries after a pause. The lock is taken before any work runs, so all of it can be retried. */
  #waitForLock(jobs: readonly Job[], error: unknown): void {
    const now = performance.now()
    this.#waiting = jobs.filter((job) => job.giveUpAtMs > now)
    if (this.#waiting.length < jobs.length) this.#storage.failed(error)
    for (const job of jobs) if (job.giveUpAtMs <= now) job.failed(error)
    if (this.#waiting.length > 0) this.#retry = setTimeout(() => this.#commit(), lockWaits.retryMs)
  }

  #transaction(jobs: readonly Job[], failures: Map<Job, unknown>): void {
    this.#inTransaction.immediate(() => {
      for (const job of jobs) {
        try {
          // Inside a transaction this is a savepoint.
          this.#inTransaction(job.run)
        } catch (error) {
          if (!this.#database.inTransaction) throw error // SQLite rolled everything back: disk full, I/O error
          failures.set(job, error)
        }
      }
    })
  }
}

/** Runs work in a transaction, or in a savepoint of the one that is open. */
function transactionOf(database: Database) {
  return database.transaction((work: () => void) => work())
}
