import type { EngineClock } from '../engines/engine-process.ts'
import { checkEveryMs } from '../engines/watchdog.ts'

/** Short waits end at once; the watchdog's checks never come. */
export function impatientClock(nowMs = () => performance.now()): EngineClock {
  return {
    nowMs,
    after: (ms, callback) => {
      if (ms < checkEveryMs) queueMicrotask(callback)
      return () => undefined
    },
  }
}
