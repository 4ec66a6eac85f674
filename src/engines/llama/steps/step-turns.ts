import type { SortedSlots } from './pictures.ts'
import type { Slot } from './slot.ts'

const others = ['prompts', 'pictures', 'encoding'] as const

type OtherKind = (typeof others)[number]

export type StepKind = 'tokens' | OtherKind

/**
 * What comes next: a batch of tokens, of prompts alone, of pictures, or the encoding of pictures.
 *
 * Tokens, which running answers wait for, come every other time, so that an answer waits for at most one of the others and one
 * step. Between them the others take turns, so that a large picture keeps no other from being encoded, nor any prompt.
 */
export class StepTurns {
  #wasTokens = false
  #lastOther: OtherKind = 'encoding'
  readonly #turns: Record<StepKind, number> = { tokens: 0, prompts: 0, pictures: 0, encoding: 0 }

  /** `work`: what there is of each kind. `turn`: how many of this kind there were before. Undefined where there is nothing to do. */
  next(
    work: Readonly<Record<StepKind, readonly unknown[]>>,
  ): { readonly kind: StepKind; readonly turn: number } | undefined {
    const kind = this.#choose((each) => work[each].length > 0)
    if (kind === undefined) return undefined
    this.#wasTokens = kind === 'tokens'
    if (kind !== 'tokens') this.#lastOther = kind
    return { kind, turn: this.#turns[kind]++ }
  }

  #choose(has: (kind: StepKind) => boolean): StepKind | undefined {
    const last = others.indexOf(this.#lastOther)
    const other = [...others.slice(last + 1), ...others.slice(0, last + 1)].find(has)
    return has('tokens') && !(this.#wasTokens && other !== undefined) ? 'tokens' : other
  }
}

/**
 * What there is of each kind. `isMixed`: a step may hold answers and prompts. They are decoded apart in two cases.
 * 1. Sequences have a cache each: llama.cpp decodes a batch of both in pieces of equal length, the first token of each, then the rest
 *    of the prompts.
 * 2. A CPU computes attention in tiles of 64 rows. One answer in a batch with a prompt makes a tile visit its whole conversation too.
 */
export function workOf({ tokens, ...sorted }: SortedSlots, isMixed: boolean) {
  const isTogether = ({ answer }: Slot) => isMixed || answer.isGenerating
  return { ...sorted, tokens: tokens.filter(isTogether), prompts: tokens.filter((slot) => !isTogether(slot)) }
}
