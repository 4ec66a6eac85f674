/** Whether a step of more rows brings more tokens in less time than it costs. */
import type { Proposal } from './ngram-drafts.ts'

/** What each answer gains on average must be more than costs are known by. */
const leastGain = 1.1
/** Costs are known from so many steps on. */
const enoughMeasurements = 2
/** What is tried where costs are not known: twice the rows for so many times the cost. It must be worth that. */
const hopedForTwice = 1.3

export interface DraftCosts {
  /** Rows of the step without drafts, each of which brings a token. */
  readonly rows: number
  /** Rows that it may have at most. */
  readonly mostRows: number
  /** 0: nothing is known. */
  readonly estimateMs: (rows: number) => number
  /** How many steps of so many rows that is known from. */
  readonly measurements: (rows: number) => number
}

/**
 * How many of the proposed tokens of each answer the step should have: those that make the answers fastest, by the geometric mean
 * of their speeds. So an answer that copies well slows down the others little: by the sum of their speeds it could hold them up
 * as long as it brings more tokens than they lose. The likeliest tokens come first, whoever's they are.
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
 * Powers of two are tried until their costs are known; they tell enough of what lies between, if that is taken for the next
 * multiple of four: on most processors what is left over of one costs as much.
 */
function expectedMs(wanted: number, { rows, estimateMs, measurements }: DraftCosts): number {
  const doublings = Math.log2(wanted)
  const isTried = Number.isInteger(doublings) && measurements(wanted) < enoughMeasurements
  if (isTried) return estimateMs(rows) * hopedForTwice ** (doublings - Math.log2(rows))
  const isKnown = wanted <= 4 || measurements(wanted) > 0
  return estimateMs(isKnown ? wanted : Math.ceil(wanted / 4) * 4)
}
