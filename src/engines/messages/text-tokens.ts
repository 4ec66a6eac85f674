/**
 * Which tokens the visible text is made of. Tokens come with the piece of the answer that each adds; thinking, tags, calls
 * and what a stop string cuts off are pieces too. A token belongs to the text when any character of it does, and leaves
 * with the first of them.
 */
export class TextTokens<Token> {
  /** Length of the answer so far. */
  #received = 0
  /** Not known to be text. Several tokens share a piece when none of them ends a character but the last. */
  #pending: { readonly tokens: Token[]; readonly start: number; end: number }[] = []
  /** Of text that has not left, with their place in all text. */
  #spoken: { readonly tokens: readonly Token[]; readonly start: number }[] = []
  /** Lengths of the text: all of it, and what has left. */
  #said = 0
  #given = 0

  /**
   * The next piece of the answer with its token, if it has one that is to be told. A token that holds only a part of a
   * character has the piece ''.
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

  /** The next `length` characters of text are those of the answer that end at `end`. */
  say(length: number, end: number): void {
    const start = end - length
    this.skip(start)
    for (const piece of shiftWhile(this.#pending, (piece) => piece.start < end)) {
      this.#spoken.push({ tokens: piece.tokens, start: this.#said + Math.max(0, piece.start - start) })
    }
    this.#said += length
  }

  /** What ends at `end` or before it is no text. */
  skip(end: number): void {
    shiftWhile(this.#pending, (piece) => piece.end <= end && piece.end > piece.start)
  }

  /** Nothing so far is text that has not been said. */
  skipAll(): void {
    this.skip(this.#received)
  }

  /** Takes the tokens that begin in the next `length` characters of the text. */
  take(length: number): Token[] {
    this.#given += length
    return shiftWhile(this.#spoken, ({ start }) => start < this.#given).flatMap(({ tokens }) => tokens)
  }
}

/** Removes the items in front that pass, and returns them. */
function shiftWhile<Item>(items: Item[], passes: (item: Item) => boolean): Item[] {
  const first = items.findIndex((item) => !passes(item))
  return items.splice(0, first < 0 ? items.length : first)
}
