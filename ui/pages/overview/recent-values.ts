/** Figures of the last ten minutes for charts. Pure. */
import type { HistoryOnPage } from '../../../src/wire/pages/history.ts'

export interface Sample {
  /** Milliseconds UTC. */
  readonly atMs: number
  readonly value: number
}

export const recentMs = 10 * 60_000
const stepMs = 5_000

/** Returns a column of a history without its empty times. */
export function samplesOf(
  { from, step_s: stepSeconds, columns, rows }: HistoryOnPage,
  column: string,
): readonly Sample[] {
  const index = columns.findIndex(({ name }) => name === column)
  const beginMs = Date.parse(from)
  return rows.flatMap((row, step) => {
    const value = row?.[index]
    return value === undefined ? [] : [{ atMs: beginMs + step * stepSeconds * 1_000, value }]
  })
}

/** Returns the history with the later live samples appended. */
export function joined(past: readonly Sample[], live: readonly Sample[]): readonly Sample[] {
  const lastMs = past.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY
  return [...past, ...live.filter(({ atMs }) => atMs > lastMs)]
}

/** Returns means over five seconds up to now, the oldest first. Null marks steps without samples. */
export function recentValues(samples: readonly Sample[], nowMs: number): readonly (number | null)[] {
  const last = Math.floor(nowMs / stepMs)
  const steps = recentMs / stepMs
  const sums = Array.from({ length: steps }, () => ({ sum: 0, count: 0 }))
  for (const { atMs, value } of samples) {
    const step = sums[Math.floor(atMs / stepMs) - last + steps - 1]
    if (step === undefined) continue
    step.sum += value
    step.count += 1
  }
  return sums.map(({ sum, count }) => (count === 0 ? null : sum / count))
}
