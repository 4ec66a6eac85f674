/** Lines typed or pasted at a terminal, as messages of one or several lines. */
const quotes = '"""'

/** Stands for a line end within pasted text, which stays one line until it is sent. */
export const lineEndSign = '␊'

/** Joins lines into messages: `"""` begins and ends one of several lines, a backslash at the end continues a line. */
export class TypedLines {
  #begun: string[] = []
  #isQuoted = false

  /** True if the next line belongs to the same message. */
  get isOpen(): boolean {
    return this.#isQuoted || this.#begun.length > 0
  }

  /** Takes a line. Returns the message that it completes. */
  add(line: string): string | undefined {
    const text = line.replaceAll(lineEndSign, '\n')
    if (this.#isQuoted) return this.#addQuoted(text)
    if (!this.isOpen && text.trimStart().startsWith(quotes)) {
      this.#isQuoted = true
      return this.#addQuoted(text.trimStart().slice(quotes.length), true)
    }
    if (text.endsWith('\\')) {
      this.#begun.push(text.slice(0, -1))
      return undefined
    }
    return this.#complete(text)
  }

  /** Forgets an incomplete message. */
  clear(): void {
    this.#begun = []
    this.#isQuoted = false
  }

  #addQuoted(text: string, isFirst = false): string | undefined {
    const isEnd = text.trimEnd().endsWith(quotes)
    const rest = isEnd ? text.trimEnd().slice(0, -quotes.length) : text
    if (isEnd) return this.#complete(rest)
    if (!isFirst || rest !== '') this.#begun.push(rest)
    return undefined
  }

  #complete(last: string): string {
    const message = [...this.#begun, last].join('\n')
    this.clear()
    return message.trimEnd()
  }
}
