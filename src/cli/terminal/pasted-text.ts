import { lineEndSign } from './typed-lines.ts'

/** Sequences that make a terminal mark pasted text, and end that. */
export const pasteMode = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const

const marks = { begin: '\u001b[200~', end: '\u001b[201~' } as const

/** Removes the marks of pasted text and keeps its line ends from sending it. */
export class PastedText {
  #isPasted = false
  /** Beginning of a mark that the next piece may complete. */
  #rest = ''

  /** Returns the keys for the line editor. */
  filter(piece: string): string {
    let text = this.#rest + piece
    let keys = ''
    for (;;) {
      const mark = this.#isPasted ? marks.end : marks.begin
      const at = text.indexOf(mark)
      if (at === -1) break
      keys += this.#shown(text.slice(0, at))
      text = text.slice(at + mark.length)
      this.#isPasted = !this.#isPasted
    }
    const kept = beginningOf(this.#isPasted ? marks.end : marks.begin, text)
    this.#rest = text.slice(text.length - kept)
    return keys + this.#shown(text.slice(0, text.length - kept))
  }

  #shown(text: string): string {
    if (!this.#isPasted) return text
    return text.replaceAll(/\r\n?|\n/g, lineEndSign).replaceAll('\t', '  ')
  }
}

/** Returns how many characters at the end of a text begin the mark. Alone, an escape waits for the next key. */
function beginningOf(mark: string, text: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}
