/**
 * What comes next: a batch of tokens, a batch of pictures, or the encoding of pictures. Pure but for what came before.
 *
 * Tokens come every other time, so that running answers wait for at most one encoding, or one batch of pictures, and one
 * step. Between them pictures are put into prompts and encoded in turn, so that a large picture keeps no other from being encoded.
 */
export type StepKind = 'tokens' | 'pictures' | 'encoding'

export class StepTurns {
  #wasTokens = false
  #lastOther: StepKind = 'encoding'
  readonly #turns: Record<StepKind, number> = { tokens: 0, pictures: 0, encoding: 0 }

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
    const others = (['pictures', 'encoding'] as const).filter(has)
    if (has('tokens') && !(this.#wasTokens && others.length > 0)) return 'tokens'
    return others.find((kind) => kind !== this.#lastOther) ?? others[0]
  }
}
