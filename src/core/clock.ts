/** Clock: the real one, or one that a test moves. */
export interface Clock {
  /** Returns milliseconds that never go back. */
  readonly nowMs: () => number
  /** Calls back once, unless the returned function is called before. */
  readonly after: (ms: number, callback: () => void) => () => void
}

/** Longest time that a timer can be set for. */
const longestTimerMs = 2 ** 31 - 1

/** Real clock, whose timers keep no process alive. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, longestTimerMs)).unref()
    return () => clearTimeout(timer)
  },
}
