/** Breaks styled text between words at the terminal's width, as it arrives. */
export class WordWrap {
  readonly #ask: () => number
  /** Column of the cursor. */
  #column = 0
  /** Spaces that the next word or line end decides about. */
  #blanks = ''
  #hang = ''

  /** `width` returns the columns of the terminal, which can change. */
  constructor(width: () => number) {
    this.#ask = width
  }

  get #width(): number {
    return Math.max(this.#ask(), 10)
  }

  /** Returns text for the terminal. `hang` precedes each further line of the same paragraph. */
  write(text: string, hang = ''): string {
    this.#hang = hang
    return text
      .split(/(\n| +)/)
      .map((piece) => this.#piece(piece))
      .join('')
  }

  /** Takes lines that must not be broken, which end with a line end. */
  verbatim(lines: string): string {
    this.#blanks = ''
    this.#column = 0
    return lines
  }

  #piece(piece: string): string {
    if (piece === '\n') {
      this.#blanks = ''
      this.#column = 0
      return '\n'
    }
    if (/^ +$/.test(piece)) {
      this.#blanks += piece
      return ''
    }
    const columns = Bun.stringWidth(piece)
    if (columns === 0) return piece
    const isFull = this.#column > this.#hang.length && this.#column + this.#blanks.length + columns > this.#width
    const before = isFull ? `\n${this.#hang}` : this.#blanks
    this.#column = (isFull ? this.#hang.length : this.#column + this.#blanks.length) + columns
    // A word wider than the terminal is broken by the terminal itself.
    if (this.#column > this.#width) this.#column %= this.#width
    this.#blanks = ''
    return `${before}${piece}`
  }
}
