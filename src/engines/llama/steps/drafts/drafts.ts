import type { Answer } from '../../answer/answer.ts'
import type { Slot } from '../slot.ts'
import type { StepCosts } from '../step-costs.ts'
import { chooseDrafts } from './choose-drafts.ts'
import { NgramDrafts, nothingProposed, type Proposal } from './ngram-drafts.ts'

/** Steps without drafts after one that the cache had no room for. */
const stepsWithoutRoom = 32
/** After so many steps costs that were too high are looked at again: other programs may have ended. */
const stepsUntilRetrial = 1024

export interface DraftsOptions {
  /** Rows that a step may sample from. */
  readonly mostRows: number
}

/** What is proposed to follow the answers of a model. Nothing of one answer is proposed for another. */
export class Drafts {
  readonly #options: DraftsOptions
  readonly #texts = new WeakMap<Answer, NgramDrafts>()
  #pausedSteps = 0
  #steps = 0

  constructor(options: DraftsOptions) {
    this.#options = options
  }

  /** At most so many tokens, and no more than the answer may have. */
  propose({ answer, request }: Slot, most: number): Proposal {
    // Choice i of a seed is what the seed + i gives alone. Proposals move what other sequences hold in the cache, which rounds sums otherwise.
    if (request.prepared.answers.length > 1) return nothingProposed
    // The last token of a step is not proposed, and whatever ends an answer by its length must be the last.
    const room = Math.min(most, answer.sampleRoom - 1, request.tokensLeft(answer) - 1)
    if (room <= 0) return nothingProposed
    const text = this.#texts.get(answer) ?? new NgramDrafts(answer.units)
    this.#texts.set(answer, text)
    return text.propose(room)
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
    const { mostRows } = this.#options
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
