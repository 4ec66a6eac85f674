import type { Answer } from '../../answer/answer.ts'
import type { Slot } from '../slot.ts'
import type { HeadDrafts } from './head-drafts.ts'
import { NgramDrafts, nothingProposed, type Proposal } from './ngram-drafts.ts'

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

  constructor(limits: DraftLimits, head: HeadDrafts | undefined) {
    this.#limits = limits
    this.#head = head
  }

  /** Rows that a step may sample after. */
  get mostRows(): number {
    return this.#limits.rows
  }

  /** Proposes at most `most` tokens, within the answer's own limits. */
  propose({ answer, request }: Slot, most: number): Proposal {
    // Several choices get no proposals: choice i of a seed must equal the answer to seed + i alone, and proposals move
    // other sequences in the cache, which changes the rounding.
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
}

function expectedTokens({ chances }: Proposal): number {
  return chances.reduce((sum, chance) => sum + chance, 0)
}
