export interface AttemptLimitOptions {
  /** Attempts within the window. */
  readonly most: number
  readonly windowMs: number
  /** Milliseconds that never go back, unlike the time of day. */
  readonly monotonicMs: () => number
}

/** Beyond this many keys the oldest windows are forgotten: memory is bounded whatever is tried. */
const mostKeys = 50_000

interface Window {
  readonly startedMs: number
  count: number
}

/** Bounds how often something is tried, by key. In memory: a restart forgives. */
export class AttemptLimit {
  readonly #options: AttemptLimitOptions
  /** In the order in which their windows began. */
  readonly #windows = new Map<string, Window>()

  constructor(options: AttemptLimitOptions) {
    this.#options = options
  }

  /** Counts an attempt, before it is made. Returns after how many seconds to try again when there were too many. */
  take(key: string): number | undefined {
    const { most, windowMs, monotonicMs } = this.#options
    const now = monotonicMs()
    this.#forget(now)
    const window = this.#windows.get(key)
    if (window === undefined) {
      this.#windows.set(key, { startedMs: now, count: 1 })
      return undefined
    }
    if (window.count >= most) return Math.ceil((window.startedMs + windowMs - now) / 1000)
    window.count++
    return undefined
  }

  /** Takes back what `take` counted: the attempt was right. */
  giveBack(key: string): void {
    const window = this.#windows.get(key)
    if (window !== undefined && --window.count <= 0) this.#windows.delete(key)
  }

  #forget(now: number): void {
    for (const [key, { startedMs }] of this.#windows) {
      if (now - startedMs < this.#options.windowMs && this.#windows.size <= mostKeys) return
      this.#windows.delete(key)
    }
  }
}
