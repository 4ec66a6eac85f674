/**
 * Finds thinking in the text of servers without a parser for it: a block in `<think>` tags at the beginning. Anything
 * later is text.
 */

const open = '<think>'
const close = '</think>'

/** A piece of thinking or of text; never empty. */
export interface SpokenPiece {
  readonly kind: 'reasoning' | 'text'
  readonly text: string
}

export class ThinkTags {
  #place: 'before' | 'inside' | 'behind' | 'text' = 'before'
  #held = ''

  /** Stops looking for tags, because thinking comes in a separate field. */
  stop(): void {
    this.#place = 'text'
  }

  push(piece: string): SpokenPiece[] {
    if (this.#place === 'text') return spoken('text', piece)
    const text = this.#held + piece
    this.#held = ''
    if (this.#place === 'before') return this.#begin(text)
    if (this.#place === 'inside') return this.#think(text)
    return this.#say(text)
  }

  /** Ends the answer. Returns held text that is not a tag after all. */
  end(): SpokenPiece[] {
    const held = this.#held
    this.#held = ''
    return spoken(this.#place === 'inside' ? 'reasoning' : 'text', this.#place === 'behind' ? '' : held)
  }

  #begin(text: string): SpokenPiece[] {
    const said = text.trimStart()
    if (said.startsWith(open)) {
      this.#place = 'inside'
      return this.#think(said.slice(open.length).trimStart())
    }
    if (open.startsWith(said) && text.length < spaceLimit) {
      this.#held = text
      return []
    }
    this.#place = 'text'
    return spoken('text', text)
  }

  #think(text: string): SpokenPiece[] {
    const end = text.indexOf(close)
    if (end < 0) {
      const safe = text.length - overlap(text)
      this.#held = text.slice(safe)
      return spoken('reasoning', text.slice(0, safe))
    }
    this.#place = 'behind'
    return [...spoken('reasoning', text.slice(0, end).trimEnd()), ...this.#say(text.slice(end + close.length))]
  }

  /** Returns text without the white space between the block and the text. */
  #say(text: string): SpokenPiece[] {
    const said = text.trimStart()
    if (said === '') return []
    this.#place = 'text'
    return spoken('text', said)
  }
}

/** Characters of white space that may stand before the tag. */
const spaceLimit = 256

function spoken(kind: SpokenPiece['kind'], text: string): SpokenPiece[] {
  return text === '' ? [] : [{ kind, text }]
}

/** Returns the length of the longest suffix of the text that may begin the closing tag. */
function overlap(text: string): number {
  for (let length = Math.min(text.length, close.length - 1); length > 0; length--) {
    if (text.endsWith(close.slice(0, length))) return length
  }
  return 0
}
