/** Removes the text that an answer continues, if a server repeats it in front of the answer: the client has it. */
export class RepeatedText {
  #missing: string
  #held = ''

  /** `begun` is the possibly repeated text; '' if there is none. */
  constructor(begun: string) {
    this.#missing = begun
  }

  /** Returns the new text in the next piece; '' while all of it may be repeated text. */
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

  /** Returns the held text once the answer has ended or other content follows: it is no repetition. */
  end(): string {
    const held = this.#held
    this.#held = ''
    this.#missing = ''
    return held
  }
}
