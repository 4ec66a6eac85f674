/**
 * Removes the text that an answer continues, which the client has already, if a server repeats it before the answer.
 */
export class RepeatedText {
  #missing: string
  #held = ''

  /** `begun`: the text that may be repeated; '' if there is none. */
  constructor(begun: string) {
    this.#missing = begun
  }

  /** Returns the new text of the next piece; '' while everything may be a repetition. */
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

  /** Returns the held text, which is no repetition, once the answer has ended or other content follows. */
  end(): string {
    const held = this.#held
    this.#held = ''
    this.#missing = ''
    return held
  }
}
