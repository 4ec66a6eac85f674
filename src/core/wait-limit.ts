import type { Clock } from './clock.ts'

/**
 * Limits the time spent waiting for data. The time stands still while nobody waits, so that a slow reader does not
 * exceed the limit.
 */
export class WaitLimit {
  readonly #clock: Clock
  #limitMs = Number.POSITIVE_INFINITY
  #onOver: () => void = () => undefined
  /** Time since the last progress, without the current wait. */
  #waitedMs = 0
  /** Start of the current wait. Undefined if nobody waits. */
  #sinceMs: number | undefined
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Sets the limit from now on. */
  begin(limitMs: number, onOver: () => void): void {
    this.#limitMs = limitMs
    this.#onOver = onOver
    this.progress()
    this.#stopTimer()
    if (this.#sinceMs !== undefined) this.#startTimer()
  }

  /** Restarts the time after data has come. */
  progress(): void {
    this.#waitedMs = 0
    if (this.#sinceMs !== undefined) this.#sinceMs = this.#clock.nowMs()
  }

  async wait<Result>(next: Promise<Result>): Promise<Result> {
    this.#sinceMs = this.#clock.nowMs()
    // One timer serves many waits: there are thousands per second.
    if (this.#cancelTimer === undefined) this.#startTimer()
    try {
      return await next
    } finally {
      this.#waitedMs = this.#waitedNowMs()
      this.#sinceMs = undefined
    }
  }

  end(): void {
    this.#stopTimer()
    this.#limitMs = Number.POSITIVE_INFINITY
  }

  #startTimer(): void {
    if (this.#limitMs === Number.POSITIVE_INFINITY) return
    this.#cancelTimer = this.#clock.after(this.#limitMs - this.#waitedNowMs(), () => this.#check())
  }

  #stopTimer(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #check(): void {
    this.#cancelTimer = undefined
    if (this.#waitedNowMs() >= this.#limitMs) this.#onOver()
    else if (this.#sinceMs !== undefined) this.#startTimer()
  }

  #waitedNowMs(): number {
    return this.#waitedMs + (this.#sinceMs === undefined ? 0 : this.#clock.nowMs() - this.#sinceMs)
  }
}
