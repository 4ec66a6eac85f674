import type { Answer } from '../../answer/answer.ts'
import type { Slot } from '../slot.ts'
import type { StepCosts } from '../step-costs.ts'
import { chooseDrafts } from './choose-drafts.ts'
import type { HeadDrafts } from './head-drafts.ts'
import { NgramDrafts, nothingProposed, type Proposal } from './ngram-drafts.ts'

/** Steps without drafts after one that the cache had no room for. */
const stepsWithoutRoom = 32
/** After so many steps costs that were too high are looked at again: other programs may have ended. */
const stepsUntilRetrial = 1024

export interface DraftLimits {
  /** A step may sample after so many rows; 0: nothing is proposed. */
  readonly rows: number
  /** So many proposals can be taken back from one sequence. */
  readonly mostEach: number
  /** The model's draft head proposes so many tokens behind an answer; undefined: it has none. */
  readonly headTokens: number | undefined
}

/** What is proposed to follow the answers of a model. Nothing of one answer is proposed for another. */
export class Drafts {
  readonly #limits: DraftLimits
  readonly #head: HeadDrafts | undefined
  readonly #texts = new WeakMap<Answer, NgramDrafts>()
  #pausedSteps = 0
  #steps = 0

  constructor(limits: DraftLimits, head: HeadDrafts | undefined) {
    this.#limits = limits
    this.#head = head
  }

  /** At most so many tokens, and no more than the answer may have. */
  propose({ answer, request }: Slot, most: number): Proposal {
    // Choice i of a seed is what the seed + i gives alone. Proposals move what other sequences hold in the cache, which rounds sums otherwise.
    if (request.prepared.answers.length > 1) return nothingProposed
    // The last token of a step is not proposed, and whatever ends an answer by its length must be the last.
    const room = Math.min(most, this.#limits.mostEach, answer.sampleRoom - 1, request.tokensLeft(answer) - 1)
    if (room <= 0) return nothingProposed
    const text = this.#texts.get(answer) ?? new NgramDrafts(answer.units)
    this.#texts.set(answer, text)
    const repeated = text.propose(room)
    const guessed = this.#head?.propose(answer, room) ?? nothingProposed
    return expectedTokens(guessed) > expectedTokens(repeated) ? guessed : repeated
  }

  /** What a step should have behind the next token of each of these answers. */
  choose(
    slots: readonly Slot[],
    costs: Pick<StepCosts, 'estimateMs' | 'measurements'>,
  ): readonly (readonly number[])[] {
    if (this.#pausedSteps > 0) {
      this.#pausedSteps--
      return []
    }
    const { rows: mostRows } = this.#limits
    const proposals = slots.map((slot) => this.propose(slot, mostRows - slots.length))
    const isRetrial = ++this.#steps % stepsUntilRetrial === 0
    const counts = chooseDrafts(proposals, {
      rows: slots.length,
      mostRows,
      estimateMs: (rows) => costs.estimateMs(rows),
      measurements: (rows) => (isRetrial ? 0 : costs.measurements(rows)),
    })
    return proposals.map(({ tokens }, index) => tokens.slice(0, counts[index]))
  }

  /** The cache had no room for what was proposed. */
  pause(): void {
    this.#pausedSteps = stepsWithoutRoom
  }
}

function expectedTokens({ chances }: Proposal): number {
  return chances.reduce((sum, chance) => sum + chance, 0)
}
