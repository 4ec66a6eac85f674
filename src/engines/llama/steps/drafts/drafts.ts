import type { Answer } from '../../answer/answer.ts'
import type { Slot } from '../slot.ts'
import type { StepCosts } from '../step-costs.ts'
import { chooseDrafts } from './choose-drafts.ts'
import type { HeadDrafts } from './head-drafts.ts'
import { NgramDrafts, nothingProposed, type Proposal } from './ngram-drafts.ts'

/** Steps without drafts after one for which the cache had no room. */
const stepsWithoutRoom = 32
/** Steps after which excessive costs are reconsidered: other programs may have ended. */
const stepsUntilRetrial = 1024

export interface DraftLimits {
  /** Rows that a step may sample after. 0 disables proposals. */
  readonly rows: number
  /** Most proposals of one sequence that can be undone. */
  readonly mostEach: number
  /** Tokens that the model's draft head proposes per answer. Undefined without a head. */
  readonly headTokens: number | undefined
}

/** Proposed continuations of a model's answers. Text of one answer is never proposed for another. */
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

  /** Proposes at most `most` tokens, within the answer's own limits. */
  propose({ answer, request }: Slot, most: number): Proposal {
    // Choice i of a seed equals the answer to seed + i alone. Proposals move other sequences in the cache, which rounds
    // sums differently.
    if (request.prepared.answers.length > 1) return nothingProposed
    // The last token of a step is not proposed, and a token that ends an answer by its length must be the last.
    const room = Math.min(most, this.#limits.mostEach, answer.sampleRoom - 1, request.tokensLeft(answer) - 1)
    if (room <= 0) return nothingProposed
    const text = this.#texts.get(answer) ?? new NgramDrafts(answer.units)
    this.#texts.set(answer, text)
    const repeated = text.propose(room)
    const guessed = this.#head?.propose(answer, room) ?? nothingProposed
    return expectedTokens(guessed) > expectedTokens(repeated) ? guessed : repeated
  }

  /** Returns the proposals to compute after the next token of each answer. */
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

  /** Pauses proposals after the cache had no room for them. */
  pause(): void {
    this.#pausedSteps = stepsWithoutRoom
  }
}

function expectedTokens({ chances }: Proposal): number {
  return chances.reduce((sum, chance) => sum + chance, 0)
}
