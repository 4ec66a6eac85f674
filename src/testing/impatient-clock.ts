import type { Clock } from '../core/clock.ts'
import { checkEveryMs } from '../engines/host/watchdog.ts'

/** Returns a clock on which short waits pass at once, and the watchdog never checks. */
export function impatientClock(nowMs = () => performance.now()): Clock {
  let passedMs = 0
  return {
    nowMs: () => nowMs() + passedMs,
    after: (ms, callback) => {
      const dueMs = nowMs() + passedMs + ms
      let isCancelled = false
      if (ms < checkEveryMs) {
        // Other work runs first: the wait may be for it.
        setImmediate(() => {
          if (isCancelled) return
          passedMs = Math.max(passedMs, dueMs - nowMs())
          callback()
        })
      }
      return () => {
        isCancelled = true
      }
    },
  }
}
