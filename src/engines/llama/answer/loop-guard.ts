/** Detects answers that only repeat themselves, at a small cost per token. */
import type { RepetitionLimit } from '../../../core/chat.ts'

export class LoopGuard {
  readonly #limit: RepetitionLimit
  readonly #grammarPlace: () => number | undefined
  /** Ring of the last tokens, as many as the longest piece. */
  readonly #tokens: Int32Array
  /** Run lengths per piece length: tokens in a row that equal the one a piece length before. */
  readonly #matches: Uint32Array
  #count = 0
  /** Minimum further tokens until the limit. */
  #tokensToLimit = 1
  /** Place in the grammar at some token of the repetition. */
  #mark: { readonly token: number; readonly place: number } | undefined

  /** `grammarPlace` returns the answer's place in its grammar; undefined without one. */
  constructor(limit: RepetitionLimit, grammarPlace: () => number | undefined) {
    this.#limit = limit
    this.#grammarPlace = grammarPlace
    this.#tokens = new Int32Array(limit.maxPieceTokens)
    this.#matches = new Uint32Array(limit.maxPieceTokens + 1)
  }

  /** Number of tokens until the limit can be reached. At least 1. */
  get room(): number {
    return Math.max(1, this.#tokensToLimit)
  }

  /**
   * Takes the next token. Returns true once the answer has repeated itself beyond the limit. Under a grammar the
   * repetition must also make no progress: a list whose schema asks for 5,000 zeros comes nearer to its end with each
   * of them.
   */
  push(token: number): boolean {
    const piece = this.#repeatedPiece(token)
    if (piece === undefined) {
      this.#mark = undefined
      return false
    }
    const mark = this.#mark
    if (mark !== undefined && this.#count - mark.token < piece) return false
    const place = this.#grammarPlace()
    if (place === undefined) return true
    if (mark !== undefined && this.#count - mark.token === piece && mark.place === place) return true
    this.#mark = { token: this.#count, place }
    return false
  }

  /** Returns the length of the shortest piece that has been repeated often enough. */
  #repeatedPiece(token: number): number | undefined {
    const { minPieceTokens, maxPieceTokens, minCount, minTokens } = this.#limit
    const tokens = this.#tokens
    const matches = this.#matches
    let found: number | undefined
    let nearest = Number.POSITIVE_INFINITY
    for (let length = minPieceTokens; length <= maxPieceTokens; length++) {
      const isMatch = length <= this.#count && tokens[(this.#count - length) % maxPieceTokens] === token
      const row = isMatch ? (matches[length] ?? 0) + 1 : 0
      matches[length] = row
      const missing = Math.max(minTokens, minCount * length) - length - row
      if (isMatch && found === undefined && missing <= 0) found = length
      nearest = Math.min(nearest, missing)
    }
    this.#tokensToLimit = nearest
    tokens[this.#count % maxPieceTokens] = token
    this.#count++
    return found
  }
}
