/** Takes away the text that an answer continues, where a server repeats it in front of the answer: the client has it. */
export class RepeatedText {
  #missing: string
  #held = ''

  /** `begun`: the text that is repeated; '' where none is. */
  constructor(begun: string) {
    this.#missing = begun
  }

  /** What is new in the next piece; '' while all of it may be repeated text. */
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
