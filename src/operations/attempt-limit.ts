import { OperationError } from './problem.ts'

export interface AttemptLimitOptions {
  /** Attempts within the window. */
  readonly maximum: number
  readonly windowMs: number
  /** Milliseconds that never go back, unlike the time of day. */
  readonly monotonicMs: () => number
  /** Where the limit is reached, a mailed link leads in all the same. */
  readonly hasOtherWay?: boolean
}

/** Beyond this many keys the oldest windows are forgotten: memory is bounded whatever is tried. */
const maximumKeys = 50_000

interface Window {
  readonly startedMs: number
  count: number
}

/** Limits how often something is tried, by key. In memory: a restart forgets the attempts. */
export class AttemptLimit {
  readonly #options: AttemptLimitOptions
  /** In the order in which their windows began. */
  readonly #windows = new Map<string, Window>()

  constructor(options: AttemptLimitOptions) {
    this.#options = options
  }

  /** Counts an attempt, before it is made. Throws OperationError `too_many_attempts`. */
  take(key: string): void {
    const { maximum, windowMs, monotonicMs, hasOtherWay = false } = this.#options
    const now = monotonicMs()
    this.#forget(now)
    const window = this.#windows.get(key)
    if (window === undefined) {
      this.#windows.set(key, { startedMs: now, count: 1 })
      return
    }
    if (window.count >= maximum) {
      const retryAfterSeconds = Math.ceil((window.startedMs + windowMs - now) / 1000)
      throw new OperationError({ code: 'too_many_attempts', retryAfterSeconds, hasOtherWay })
    }
    window.count++
  }

  /** Takes back what `take` counted: the attempt was right. */
  giveBack(key: string): void {
    const window = this.#windows.get(key)
    if (window !== undefined && --window.count <= 0) this.#windows.delete(key)
  }

  #forget(now: number): void {
    for (const [key, { startedMs }] of this.#windows) {
      if (now - startedMs < this.#options.windowMs && this.#windows.size <= maximumKeys) return
      this.#windows.delete(key)
    }
  }
}
