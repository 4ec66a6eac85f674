/** Times in words: relative ones, and exact ones with their zone. */
import { hourFormat } from './time-format.ts'

const steps: readonly (readonly [limitSeconds: number, unitSeconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60, 1, 'second'],
  [3_600, 60, 'minute'],
  [86_400, 3_600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
  [365 * 86_400, 30 * 86_400, 'month'],
  [Number.POSITIVE_INFINITY, 365 * 86_400, 'year'],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
/** Format of months, in long form because a short one such as "last mo." saves little */
const relativeOfMonths = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const minutes = { hour: '2-digit', minute: '2-digit' } as const
const seconds = { ...minutes, second: '2-digit' } as const
const exact = { year: 'numeric', month: 'short', day: '2-digit', ...seconds, timeZoneName: 'short' } as const

/** Returns "3 min. ago", "in 2 days" or "now". */
export function timeFromNow(timeMs: number, nowMs: number): string {
  const distance = (timeMs - nowMs) / 1_000
  const [, unitSeconds, unit] = steps.find(([limit]) => Math.abs(distance) < limit) ?? [0, 1, 'second' as const]
  if (unit === 'second' && Math.abs(distance) < 5) return relative.format(0, 'second')
  const form = unit === 'month' || unit === 'year' ? relativeOfMonths : relative
  return form.format(Math.trunc(distance / unitSeconds), unit)
}

/** Returns "22 Nov 2026, 18:53:10 UTC" in the reader's zone. */
export function exactTime(timeMs: number): string {
  return hourFormat(exact).format(timeMs)
}

/** Returns "18:53:10" in the reader's zone. */
export function clockTime(timeMs: number): string {
  return hourFormat(seconds).format(timeMs)
}

/** Returns "18:53" in the reader's zone. */
export function minuteTime(timeMs: number): string {
  return hourFormat(minutes).format(timeMs)
}

/** Returns "2026-11-22", the UTC day. */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

const units: readonly (readonly [unitSeconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** Returns 340 ms, 2.51 s, 12.5 s, 3 min 20 s or 12 d 4 h. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const total = ms / 1_000
  if (total < 60) return `${total < 10 ? total.toFixed(2) : total.toFixed(1)} s`
  const first = units.findIndex(([size]) => total >= size)
  const parts = units.slice(first, first + 2).map(([size, name], index) => {
    const within = index === 0 ? total : total % (units[first]?.[0] ?? 1)
    return [Math.floor(within / size), name] as const
  })
  return parts.flatMap(([count, name], index) => (count === 0 && index > 0 ? [] : [`${count} ${name}`])).join(' ')
}

/** Returns text such as 0:41, 12:05 or 1:02:03. */
export function positionText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  const tail = String(rest).padStart(2, '0')
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`
}
