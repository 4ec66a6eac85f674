/**
 * What comes next: a batch of tokens, a batch of pictures, or the encoding of pictures. Pure but for what came before.
 *
 * Tokens come every other time, so that running answers wait for at most one encoding, or one batch of pictures, and one
 * step. Between them pictures are decoded and encoded in turn, so that a large picture keeps no other from being encoded.
 */
export type StepKind = 'tokens' | 'pictures' | 'encoding'

export class StepTurns {
  #wasTokens = false
  #lastOther: StepKind = 'encoding'
  readonly #turns: Record<StepKind, number> = { tokens: 0, pictures: 0, encoding: 0 }

  /** `has`: for which kinds there is work; at least for one. `turn`: how many of this kind there were before. */
  next(has: Readonly<Record<StepKind, boolean>>): { readonly kind: StepKind; readonly turn: number } {
    const kind = this.#choose(has)
    this.#wasTokens = kind === 'tokens'
    if (kind !== 'tokens') this.#lastOther = kind
    return { kind, turn: this.#turns[kind]++ }
  }

  #choose(has: Readonly<Record<StepKind, boolean>>): StepKind {
    const hasOther = has.pictures || has.encoding
    if (has.tokens && !(this.#wasTokens && hasOther)) return 'tokens'
    if (has.pictures && has.encoding) return this.#lastOther === 'pictures' ? 'encoding' : 'pictures'
    return has.pictures ? 'pictures' : 'encoding'
  }
}
