import type { Clock } from '../core/clock.ts'
import { checkEveryMs } from '../engines/host/watchdog.ts'

/** Short waits pass at once; the watchdog's checks never come. */
export function impatientClock(nowMs = () => performance.now()): Clock {
  let passedMs = 0
  return {
    nowMs: () => nowMs() + passedMs,
    after: (ms, callback) => {
      const dueMs = nowMs() + passedMs + ms
      let isCancelled = false
      if (ms < checkEveryMs) {
        // Not before other work has had its turn, which may be what is waited for.
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
