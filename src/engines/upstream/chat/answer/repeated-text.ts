/** For servers that say the text again with which the answer was begun: the caller has it already. */
export class RepeatedText {
  #missing: string
  #held = ''

  /** `begun`: '' where nothing is said again. */
  constructor(begun: string) {
    this.#missing = begun
  }

  /** What is new in the next piece. As long as it may all be said again, nothing is. */
  strip(piece: string): string {
    if (this.#missing === '' || piece === '') return piece
    const text = this.#held + piece
    const begun = this.#held + this.#missing
    if (begun.startsWith(text)) {
      this.#held = text
      this.#missing = begun.slice(text.length)
      if (this.#missing === '') this.#held = ''
      return ''
    }
    this.#missing = ''
    this.#held = ''
    return text.startsWith(begun) ? text.slice(begun.length) : text
  }

  /** The answer is over, or goes on with something else: what was held back is new. */
  end(): string {
    const held = this.#held
    this.#held = ''
    this.#missing = ''
    return held
  }
}
