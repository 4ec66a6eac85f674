import type { SortedSlots } from './pictures.ts'
import type { Slot } from './slot.ts'

const others = ['prompts', 'pictures', 'encoding'] as const

type OtherKind = (typeof others)[number]

export type StepKind = 'tokens' | OtherKind

/**
 * Order of steps: a batch of tokens, of prompts alone, of pictures, or the encoding of pictures.
 * Tokens, which running answers wait for, come every other time, so that an answer waits for at most one other step and
 * its own. Between them the others take turns, so that a large picture blocks no other encoding, nor any prompt.
 */
export class StepTurns {
  #wasTokens = false
  #lastOther: OtherKind = 'encoding'
  readonly #turns: Record<StepKind, number> = { tokens: 0, prompts: 0, pictures: 0, encoding: 0 }

  /**
   * Returns the next kind of step and the number of earlier steps of that kind. `work` lists the work of each kind.
   * Undefined without work.
   */
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
 * Returns the work of each kind. `isMixed` allows answers and prompts in one step. They are decoded separately in two
 * cases.
 * 1. Each sequence has its own cache: llama.cpp decodes a batch of both in pieces of equal length, the first token of
 * each, then the rest of the prompts.
 * 2. A CPU computes attention in tiles of 64 rows. One answer in a batch with a prompt makes a tile visit its whole
 * conversation too.
 */
export function workOf({ tokens, ...sorted }: SortedSlots, isMixed: boolean) {
  const isTogether = ({ answer }: Slot) => isMixed || answer.isGenerating
  return { ...sorted, tokens: tokens.filter(isTogether), prompts: tokens.filter((slot) => !isTogether(slot)) }
}
