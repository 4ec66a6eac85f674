/** Spans of whole UTC days. */
const rangeNames = ['today', 'week', 'days30', 'month', 'span'] as const
type RangeName = (typeof rangeNames)[number]

export interface Range {
  readonly name: RangeName
  readonly fromMs: number
  /** End of the range in milliseconds UTC, exclusive */
  readonly toMs: number
  /** Every day of the range, such as `2026-11-22` */
  readonly days: readonly string[]
}

const dayMs = 24 * 60 * 60 * 1_000
const maximumDays = 366

/** Returns the range that an address names: `range`, with `month` or with `from` and `to`. Contains no future days. */
export function rangeOf(query: URLSearchParams, nowMs: number): Range {
  const name = rangeNames.find((known) => known === query.get('range')) ?? 'days30'
  const today = Math.floor(nowMs / dayMs)
  const [first, last] = spanOf(name, query, today)
  const days = Array.from({ length: last - first + 1 }, (_, index) => dayText(first + index))
  return { name, fromMs: first * dayMs, toMs: (last + 1) * dayMs, days }
}

/** Returns the first and last day, counted from 1970. */
function spanOf(name: RangeName, query: URLSearchParams, today: number): readonly [number, number] {
  if (name === 'today') return [today, today]
  if (name === 'week') return [today - 6, today]
  if (name === 'days30') return [today - 29, today]
  if (name === 'month') return monthSpan(query.get('month'), today)
  const [one = today - 6, other = today] = [dayOf(query.get('from'), today), dayOf(query.get('to'), today)]
  const last = Math.max(one, other)
  return [Math.max(Math.min(one, other), last - maximumDays + 1), last]
}

/** Returns the days of a month, by default and at most the present one. */
function monthSpan(named: string | null, today: number): readonly [number, number] {
  const present = dayText(today).slice(0, 7)
  const month = named !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(named) && named < present ? named : present
  const start = new Date(`${month}-01T00:00:00Z`)
  const first = start.getTime() / dayMs
  start.setUTCMonth(start.getUTCMonth() + 1)
  return [first, Math.min(start.getTime() / dayMs - 1, today)]
}

function dayOf(text: string | null, today: number): number | undefined {
  const timeMs = text !== null && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(timeMs) ? undefined : Math.min(timeMs / dayMs, today)
}

function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** Returns the present UTC day, such as `2026-11-22`. */
export function todayText(nowMs: number): string {
  return dayText(Math.floor(nowMs / dayMs))
}

/** Returns `count` months up to the present one, the latest first: `2026-11`. */
export function monthsUntil(nowMs: number, count: number): readonly string[] {
  const now = new Date(nowMs)
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index)).toISOString().slice(0, 7),
  )
}
