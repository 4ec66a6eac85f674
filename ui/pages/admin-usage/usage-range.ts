/** Spans of whole UTC days. */
export const rangeNames = ['today', 'week', 'month', 'this', 'last'] as const
export type RangeName = (typeof rangeNames)[number]

export interface Range {
  readonly fromMs: number
  /** The end, which is not in it; undefined: now. */
  readonly toMs: number | undefined
  /** Every day of it as `2026-11-22`. */
  readonly days: readonly string[]
}

const dayMs = 24 * 60 * 60 * 1_000

export function rangeOf(name: RangeName, nowMs: number): Range {
  const now = new Date(nowMs)
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const tomorrowMs = Date.UTC(year, month, day + 1)
  const starts: Readonly<Record<RangeName, number>> = {
    today: Date.UTC(year, month, day),
    week: Date.UTC(year, month, day - 6),
    month: Date.UTC(year, month, day - 29),
    this: Date.UTC(year, month),
    last: Date.UTC(year, month - 1),
  }
  const fromMs = starts[name]
  const toMs = name === 'last' ? Date.UTC(year, month) : undefined
  const count = ((toMs ?? tomorrowMs) - fromMs) / dayMs
  const days = Array.from({ length: count }, (_, index) => new Date(fromMs + index * dayMs).toISOString().slice(0, 10))
  return { fromMs, toMs, days }
}
