/**
 * Number of running answers in a step: as many as give the most tokens per second, by measured costs of steps. On some
 * processors a single row costs so much less than two to seven that those go faster one after the other, and the rest
 * of a multiple of four costs as much as four. Answers that wait longest come first, so all of them end sooner.
 * Groups that seem slower are tried again now and then, since machines and contexts change.
 */
import type { StepCosts } from './step-costs.ts'

/** Least measurements before a step is made smaller: one outlier decides nothing. */
const trusted = 3
/** Factor by which a smaller step must be faster. */
const worthwhile = 1.03
/** Steps after which a group is tried again, and one that gave less than half. */
const retrySteps = 128
const hopelessRetrySteps = 1024

export interface ChosenRows {
  readonly rows: number
  /** True if the step measures the cost of exactly that many rows: it must have no others. */
  readonly isTrial: boolean
}

/** Returns the rows for `count` waiting answers, at least 1. */
export function chooseRows(count: number, costs: StepCosts): ChosenRows {
  const isKnown = costs.measurements(count) >= trusted && costs.estimateMs(count) > 0
  if (count < 2 || !isKnown) return { rows: count, isTrial: false }
  const groups = [count, count - (count % 4), 1].filter((rows) => rows > 0)
  const rate = (rows: number) => rows / costs.estimateMs(rows)
  const best = groups.reduce((chosen, rows) => (rate(rows) > rate(chosen) * worthwhile ? rows : chosen))
  const isStale = (rows: number) =>
    costs.stepsSince(rows) > (rate(rows) < rate(best) / 2 ? hopelessRetrySteps : retrySteps)
  const stale = groups.find(isStale)
  return { rows: stale ?? best, isTrial: stale !== undefined }
}
