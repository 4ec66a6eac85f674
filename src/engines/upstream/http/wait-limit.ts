/** A timer of more ends at once. */
const timerLimitMs = 2 ** 31 - 1

/**
 * Bounds the time that is spent waiting for something. While nobody waits for it the time stands still, so that a slow reader is
 * not the server's fault.
 */
export class WaitLimit {
  #limitMs = Number.POSITIVE_INFINITY
  #onOver: () => void = () => undefined
  /** Since the last progress, but for the present wait. */
  #waitedMs = 0
  /** When the present wait began. */
  #sinceMs: number | undefined
  #timer: Timer | undefined

  /** From now on this limit holds. */
  begin(limitMs: number, onOver: () => void): void {
    this.#limitMs = limitMs
    this.#onOver = onOver
    this.progress()
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#sinceMs !== undefined) this.#arm()
  }

  /** What was waited for has come. */
  progress(): void {
    this.#waitedMs = 0
    if (this.#sinceMs !== undefined) this.#sinceMs = performance.now()
  }

  async wait<Result>(next: Promise<Result>): Promise<Result> {
    this.#sinceMs = performance.now()
    // One timer over many waits: there are thousands in a second.
    if (this.#timer === undefined) this.#arm()
    try {
      return await next
    } finally {
      this.#waitedMs = this.#waitedNow()
      this.#sinceMs = undefined
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#limitMs = Number.POSITIVE_INFINITY
  }

  #arm(): void {
    if (this.#limitMs === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => this.#check(), Math.min(this.#limitMs - this.#waitedNow(), timerLimitMs))
  }

  #check(): void {
    this.#timer = undefined
    if (this.#waitedNow() >= this.#limitMs) this.#onOver()
    else if (this.#sinceMs !== undefined) this.#arm()
  }

  #waitedNow(): number {
    return this.#waitedMs + (this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs)
  }
}
