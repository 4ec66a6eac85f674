/** Choice of proposed tokens in a step, by whether more rows bring more tokens per time. */
import type { Proposal } from './ngram-drafts.ts'

/** Least gain of each answer on average, above the uncertainty of costs. */
const leastGain = 1.1
/** Measurements from which costs are known. */
const enoughMeasurements = 2
/** Assumed cost factor of twice the rows while it is unknown. A trial must be worth that. */
const hopedForTwice = 1.3

export interface DraftCosts {
  /** Rows of the step without drafts. Each yields a token. */
  readonly rows: number
  /** Most rows of the step. */
  readonly mostRows: number
  /** Returns the cost of a step. 0 means unknown. */
  readonly estimateMs: (rows: number) => number
  /** Returns the number of measured steps with that many rows. */
  readonly measurements: (rows: number) => number
}

/**
 * Returns the number of proposed tokens per answer that makes the answers fastest, by the geometric mean of their
 * speeds. So an answer that copies well slows down the others little: by the sum of their speeds it could delay them as
 * long as it gains more tokens than they lose. The likeliest tokens of all answers come first.
 */
export function chooseDrafts(proposals: readonly Pick<Proposal, 'chances'>[], costs: DraftCosts): number[] {
  const { rows, mostRows } = costs
  const ranked = proposals
    .flatMap(({ chances }, index) => chances.map((chance) => ({ index, chance })))
    .sort((one, other) => other.chance - one.chance) // stable: within an answer they stay in order
    .slice(0, Math.max(0, mostRows - rows))
  let best = { count: 0, speed: Math.log(leastGain / costs.estimateMs(rows)) }
  const tokens = proposals.map(() => 1)
  let gain = 0
  for (const [place, { index, chance }] of ranked.entries()) {
    const before = tokens[index] ?? 1
    tokens[index] = before + chance
    gain += Math.log((before + chance) / before)
    const speed = gain / rows - Math.log(expectedMs(rows + place + 1, costs))
    if (speed > best.speed) best = { count: place + 1, speed }
  }
  const counts = proposals.map(() => 0)
  for (const { index } of ranked.slice(0, best.count)) counts[index] = (counts[index] ?? 0) + 1
  return counts
}

/**
 * Returns the expected cost. Powers of two are tried until their costs are known. Values between are taken for the next
 * multiple of four, because on most processors a partial group of four costs as much as a full one.
 */
function expectedMs(wanted: number, { rows, estimateMs, measurements }: DraftCosts): number {
  const doublings = Math.log2(wanted)
  const isTried = Number.isInteger(doublings) && measurements(wanted) < enoughMeasurements
  if (isTried) return estimateMs(rows) * hopedForTwice ** (doublings - Math.log2(rows))
  const isKnown = wanted <= 4 || measurements(wanted) > 0
  return estimateMs(isKnown ? wanted : Math.ceil(wanted / 4) * 4)
}
