/** Time that goes on: real, or that of a test. */
export interface Clock {
  /** Milliseconds that never go back. */
  readonly nowMs: () => number
  /** Calls back once, unless the function that it returns is called before. */
  readonly after: (ms: number, callback: () => void) => () => void
}

/** A timer cannot be set for longer. */
const longestTimerMs = 2 ** 31 - 1

/** Real clock, whose timers keep no process alive. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, longestTimerMs)).unref()
    return () => clearTimeout(timer)
  },
}
