/** Notices that an answer only repeats itself, token by token and at a small cost each. */
import type { RepetitionLimit } from '../../../core/chat.ts'

export class LoopGuard {
  readonly #limit: RepetitionLimit
  readonly #grammarPlace: () => number | undefined
  /** The last tokens, as many as the longest piece: token number n at n modulo that. */
  readonly #tokens: Int32Array
  /** Per length of a piece: how many tokens in a row equal the one that stands so far before them. */
  readonly #matches: Uint32Array
  #count = 0
  /** The answer cannot reach the limit with fewer tokens. */
  #tokensToLimit = 1
  /** Where the grammar was at some token of the repetition. */
  #mark: { readonly token: number; readonly place: number } | undefined

  /** `grammarPlace`: where in its grammar the answer is now; undefined where none applies. */
  constructor(limit: RepetitionLimit, grammarPlace: () => number | undefined) {
    this.#limit = limit
    this.#grammarPlace = grammarPlace
    this.#tokens = new Int32Array(limit.maxPieceTokens)
    this.#matches = new Uint32Array(limit.maxPieceTokens + 1)
  }

  /** The limit cannot be reached before the last of so many tokens. At least 1. */
  get room(): number {
    return Math.max(1, this.#tokensToLimit)
  }

  /**
   * Takes the next token. True: the answer has repeated itself beyond the limit. Under a grammar the repetition must also
   * lead nowhere: a list whose schema asks for 5,000 zeros comes nearer to its end with each of them.
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

  /** Length of the shortest piece that has been repeated often enough. */
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
