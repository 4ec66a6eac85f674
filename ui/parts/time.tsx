import { signal } from '@preact/signals'
import { exactTime, timeFromNow } from './time-text.ts'

/** Present time for relative times, in milliseconds UTC */
export const nowMs = signal(Date.now())

setInterval(() => {
  nowMs.value = Date.now()
}, 10_000)

/** Shows a time, given as ISO 8601 or in milliseconds UTC, relative to now, with the exact one in the title. */
export function Time({ at }: { readonly at: string | number }) {
  const timeMs = typeof at === 'number' ? at : Date.parse(at)
  return (
    <time dateTime={new Date(timeMs).toISOString()} title={exactTime(timeMs)}>
      {timeFromNow(timeMs, Math.max(nowMs.value, timeMs > Date.now() ? 0 : timeMs))}
    </time>
  )
}
