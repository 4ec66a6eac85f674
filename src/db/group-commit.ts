import type { Database } from 'bun:sqlite'

export interface CommitOptions {
  /**
   * Wait until the disk has it (default), so that it survives a power cut. Without, it survives the death of this process
   * all the same, and costs no waiting for the disk.
   */
  readonly isDurable?: boolean
}

interface Job {
  readonly run: () => void
  readonly isDurable: boolean
  readonly committed: () => void
  readonly failed: (error: unknown) => void
}

/**
 * The writer of a server: what is asked for in one moment is committed together, in order, in one transaction, since a
 * commit that waits for the disk costs more than everything in it.
 */
export class GroupCommit {
  readonly #database: Database
  #waiting: Job[] = []
  #isClosed = false

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Runs `work` inside the next transaction and resolves with its result after the commit. `work` is synchronous; when it
   * throws, what it did is undone, others' work is not, and the promise rejects with the same.
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
        committed: () => resolve((result as { value: Result }).value), // set by run, which goes before
        failed: reject,
      })
    })
  }

  /** Commits what is waiting and takes no more. */
  close(): void {
    this.#isClosed = true
    this.#commit()
  }

  #commit(): void {
    const jobs = this.#waiting
    this.#waiting = []
    if (jobs.length === 0) return
    const outcomes = new Map<Job, unknown>()
    try {
      this.#transaction(jobs, outcomes)
    } catch (error) {
      for (const job of jobs) job.failed(outcomes.has(job) ? outcomes.get(job) : error)
      return
    }
    for (const job of jobs) {
      if (outcomes.has(job)) job.failed(outcomes.get(job))
      else job.committed()
    }
  }

  #transaction(jobs: readonly Job[], failures: Map<Job, unknown>): void {
    const database = this.#database
    const waitsForDisk = jobs.some((job) => job.isDurable)
    if (!waitsForDisk) database.run('PRAGMA synchronous = NORMAL')
    try {
      database
        .transaction(() => {
          for (const job of jobs) {
            try {
              // Inside a transaction this is a savepoint.
              database.transaction(job.run)()
            } catch (error) {
              if (!database.inTransaction) throw error // SQLite gave all of it up: disk full, I/O error
              failures.set(job, error)
            }
          }
        })
        .immediate()
    } finally {
      if (!waitsForDisk) database.run('PRAGMA synchronous = FULL')
    }
  }
}
