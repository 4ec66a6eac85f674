/**
 * How many of the running answers take part in a step: as many as give the most tokens a second, by what steps were measured to
 * cost. On some processors a single row costs so much less than two to seven that those go faster one after the other, and what is
 * left over of a multiple of four costs as much as four. Those that wait longest come first, so all of them end sooner.
 *
 * Groups that seem slower are tried again now and then, since machines and contexts change.
 */
import type { StepCosts } from './step-costs.ts'

/** Measurements without which no step is made smaller: one outlier decides nothing. */
const trusted = 3
/** A smaller step must give so much more. */
const worthwhile = 1.03
/** Steps after which a group is tried again, and one that gave less than half. */
const retrySteps = 128
const hopelessRetrySteps = 1024

export interface ChosenRows {
  readonly rows: number
  /** The step is to show what exactly so many rows cost: it must have no others. */
  readonly isTrial: boolean
}

/** Of `count` answers that wait, at least 1. */
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
