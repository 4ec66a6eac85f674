/** Detects when the growing text of a JSON object is complete. Reads each character once. */
export class ObjectScanner {
  /** True once the object's closing bracket was read. */
  isClosed = false
  #depth = 0
  #isInString = false
  #isEscaped = false

  push(text: string): void {
    for (let at = 0; at < text.length && !this.isClosed; at++) this.#read(text.charCodeAt(at))
  }

  #read(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === backslash) this.#isEscaped = true
      else if (code === quote) this.#isInString = false
    } else if (code === quote) this.#isInString = true
    else if (code === openBrace || code === openBracket) this.#depth++
    else if (code === closeBrace || code === closeBracket) {
      this.#depth--
      this.isClosed = this.#depth <= 0
    }
  }
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
