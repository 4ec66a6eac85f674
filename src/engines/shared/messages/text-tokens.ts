/**
 * Assigns tokens to visible text. Each token comes with the piece of the answer that it adds; thinking, tags, calls
 * and text after a stop string are pieces too. A token belongs to the text if any of its characters does, and is
 * released with the first of these.
 */
export class TextTokens<Token> {
  /** Length of the answer so far. */
  #received = 0
  /** Pieces not yet known to be text. Several tokens share a piece if only the last one ends a character. */
  #pending: { readonly tokens: Token[]; readonly start: number; end: number }[] = []
  /** Tokens of unreleased text with their places in it. */
  #spoken: { readonly tokens: readonly Token[]; readonly start: number }[] = []
  /** Length of the known text. `#given` is the length of its released part. */
  #said = 0
  #given = 0

  /**
   * Adds the next piece of the answer with its token, if reported. A token with only a part of a character has the
   * piece ''.
   */
  add(piece: string, ...tokens: readonly Token[]): void {
    const start = this.#received
    this.#received += piece.length
    const last = this.#pending.at(-1)
    if (last !== undefined && last.end === start && last.start === start) {
      last.tokens.push(...tokens)
      last.end = this.#received
    } else if (tokens.length > 0) this.#pending.push({ tokens: [...tokens], start, end: this.#received })
  }

  /** Marks the `length` characters of the answer that end at `end` as the next text. */
  say(length: number, end: number): void {
    const start = end - length
    this.skip(start)
    for (const piece of shiftWhile(this.#pending, (piece) => piece.start < end)) {
      this.#spoken.push({ tokens: piece.tokens, start: this.#said + Math.max(0, piece.start - start) })
    }
    this.#said += length
  }

  /** Marks everything before `end` that is not known text as no text. */
  skip(end: number): void {
    shiftWhile(this.#pending, (piece) => piece.end <= end && piece.end > piece.start)
  }

  /** Marks everything that is not known text as no text. */
  skipAll(): void {
    this.skip(this.#received)
  }

  /** Takes the tokens that begin in the next `length` characters of the text. */
  take(length: number): Token[] {
    this.#given += length
    return shiftWhile(this.#spoken, ({ start }) => start < this.#given).flatMap(({ tokens }) => tokens)
  }
}

/** Removes and returns the leading items that pass. */
function shiftWhile<Item>(items: Item[], passes: (item: Item) => boolean): Item[] {
  const first = items.findIndex((item) => !passes(item))
  return items.splice(0, first < 0 ? items.length : first)
}
