import { lineEndSign } from './typed-lines.ts'

/** Sequences that make a terminal mark pasted text, and end that. */
export const pasteMode = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const

const marks = { begin: '\u001b[200~', end: '\u001b[201~' } as const

/** Most characters of a pasted text that is shown. A longer one would fill the screen and slow down editing. */
const shownLimit = 2_000

/** Removes the marks of pasted text and keeps its line ends from sending it. */
export class PastedText {
  #isPasted = false
  #pasted = ''
  /** Beginning of a mark that the next piece may complete. */
  #rest = ''
  /** Long texts by the signs that stand for them in a line. */
  readonly #long = new Map<string, string>()

  /** Returns the keys for the line editor. Pasted text follows once it is complete. */
  filter(piece: string): string {
    let text = this.#rest + piece
    let keys = ''
    const take = (taken: string) => {
      if (this.#isPasted) this.#pasted += taken
      else keys += taken
    }
    for (;;) {
      const mark = this.#isPasted ? marks.end : marks.begin
      const at = text.indexOf(mark)
      if (at === -1) break
      take(text.slice(0, at))
      text = text.slice(at + mark.length)
      if (this.#isPasted) keys += this.#shown()
      this.#isPasted = !this.#isPasted
    }
    const kept = beginningOf(this.#isPasted ? marks.end : marks.begin, text)
    this.#rest = text.slice(text.length - kept)
    take(text.slice(0, text.length - kept))
    return keys
  }

  /** Returns a line with the pasted texts in place of their signs. */
  expand(line: string): string {
    return line.replaceAll(/\[pasted text \d+, [\d,]+ lines?\]/g, (sign) => this.#long.get(sign) ?? sign)
  }

  /** Returns the pasted text, or the sign of a long one. */
  #shown(): string {
    const text = this.#pasted.replaceAll(/\r\n?|\n/g, lineEndSign).replaceAll('\t', '  ')
    this.#pasted = ''
    if (text.length <= shownLimit) return text
    const lines = text.split(lineEndSign).length
    const sign = `[pasted text ${this.#long.size + 1}, ${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}]`
    this.#long.set(sign, text)
    return sign
  }
}

/** Returns how many characters at the end of a text begin the mark. Alone, an escape waits for the next key. */
function beginningOf(mark: string, text: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}
