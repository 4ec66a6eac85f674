import type { IntegrityReport } from '../billing/integrity.ts'
import { minuteMs } from '../core/durations.ts'
import { within } from '../core/within.ts'

/** Time for which the report of a check that somebody did not wait for is kept. */
const keptMs = 10 * minuteMs

interface DatabaseCheckOptions {
  /** Reads the whole database: a second for about 20,000 requests. */
  readonly read: () => Promise<IntegrityReport>
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number
}

/** Report, or the time for which the database has been read so far. */
export type CheckState =
  | { readonly kind: 'read'; readonly report: IntegrityReport; readonly endedMsAgo: number }
  | { readonly kind: 'reading'; readonly forMs: number }

interface Running {
  readonly begunMs: number
  readonly report: Promise<IntegrityReport>
}

/** Check of a database that may take minutes: one at a time, shared by all who ask meanwhile. */
export class DatabaseCheck {
  readonly #options: DatabaseCheckOptions
  #running: Running | undefined
  /** Check that took longer than somebody waited. */
  #late: Running | undefined
  #ended: { readonly report: IntegrityReport; readonly endedMs: number } | undefined

  constructor(options: DatabaseCheckOptions) {
    this.#options = options
  }

  /** Resolves with the report of the check that runs, or of a new one. Rejects if the database cannot be read. */
  report(): Promise<IntegrityReport> {
    return this.#shared().report
  }

  /**
   * Waits for a report, up to `waitMs`. A check that takes longer goes on, and its report is the answer to those who ask
   * in the ten minutes after its end.
   */
  async state(waitMs: number): Promise<CheckState> {
    const { clock } = this.#options
    const endedMsAgo = this.#ended === undefined ? keptMs : clock() - this.#ended.endedMs
    if (this.#ended !== undefined && endedMsAgo < keptMs)
      return { kind: 'read', report: this.#ended.report, endedMsAgo }
    const running = this.#shared()
    const read = running.report.then((report): CheckState => ({ kind: 'read', report, endedMsAgo: 0 }))
    return within(read, waitMs, (): CheckState => {
      this.#late = running
      return { kind: 'reading', forMs: clock() - running.begunMs }
    })
  }

  #shared(): Running {
    this.#running ??= this.#begin()
    return this.#running
  }

  #begin(): Running {
    const { read, clock } = this.#options
    this.#ended = undefined
    const report = read()
    const running = { begunMs: clock(), report }
    report
      .then(
        (ended) => {
          if (this.#late === running) this.#ended = { report: ended, endedMs: clock() }
        },
        () => undefined, // told to who waits
      )
      .finally(() => {
        this.#running = undefined
      })
    return running
  }
}
