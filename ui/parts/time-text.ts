/** Times as people read them: relative ones, and exact ones with their zone. */
const steps: readonly (readonly [limitSeconds: number, unitSeconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60, 1, 'second'],
  [3_600, 60, 'minute'],
  [86_400, 3_600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
  [365 * 86_400, 30 * 86_400, 'month'],
  [Number.POSITIVE_INFINITY, 365 * 86_400, 'year'],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat('en-GB', {
  ...{ year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  timeZoneName: 'short',
})

/** "3 min. ago", "in 2 days", "now". */
export function timeFromNow(timeMs: number, nowMs: number): string {
  const seconds = (timeMs - nowMs) / 1_000
  const [, unitSeconds, unit] = steps.find(([limit]) => Math.abs(seconds) < limit) ?? [0, 1, 'second' as const]
  if (unit === 'second' && Math.abs(seconds) < 5) return relative.format(0, 'second')
  return relative.format(Math.trunc(seconds / unitSeconds), unit)
}

/** "22 Nov 2026, 18:53:10 UTC", in the zone of the reader. */
export function exactTime(timeMs: number): string {
  return exact.format(timeMs)
}

/** "18:53:10", in the zone of the reader. */
export function clockTime(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString('en-GB')
}

/** "2026-11-22", of the UTC day. */
export function utcDay(time: string): string {
  return time.slice(0, 10)
}

const units: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** 340 ms, 2.51 s, 12.5 s, 3 min 20 s, 12 d 4 h. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`
  const first = units.findIndex(([size]) => seconds >= size)
  const parts = units.slice(first, first + 2).map(([size, name], index) => {
    const within = index === 0 ? seconds : seconds % (units[first]?.[0] ?? 1)
    return [Math.floor(within / size), name] as const
  })
  return parts.flatMap(([count, name], index) => (count === 0 && index > 0 ? [] : [`${count} ${name}`])).join(' ')
}
