/** Finds a request's stop strings in visible text that comes in pieces. */

interface Matched {
  /** Text that can be returned: contains no stop string, nor the possible beginning of one at its end. */
  readonly text: string
  /** Matched stop string. The text after it is dropped. */
  readonly stop?: string
}

export class StopMatcher {
  readonly #searches: readonly Search[]
  #held = ''

  constructor(stops: readonly string[]) {
    this.#searches = stops.filter((stop) => stop !== '').map((stop) => new Search(stop))
  }

  /**
   * Takes the next piece. The stop string that begins first counts; of several at the same index, the first in the
   * list.
   */
  push(piece: string): Matched {
    if (this.#searches.length === 0) return { text: piece }
    const text = this.#held + piece
    let found: { readonly at: number; readonly stop: string } | undefined
    let heldLength = 0
    for (const search of this.#searches) {
      const end = search.read(piece)
      const at = this.#held.length + end - search.stop.length
      if (end > 0 && (found === undefined || at < found.at)) found = { at, stop: search.stop }
      heldLength = Math.max(heldLength, search.matched)
    }
    if (found !== undefined) {
      this.flush()
      return { text: text.slice(0, found.at), stop: found.stop }
    }
    this.#held = text.slice(text.length - heldLength)
    return { text: text.slice(0, text.length - heldLength) }
  }

  /** Returns the held text, which is no stop string since no more text follows. */
  flush(): string {
    const held = this.#held
    this.#held = ''
    for (const search of this.#searches) search.matched = 0
    return held
  }
}

/** Search for one string by Knuth, Morris and Pratt: reads each character of the text once. */
class Search {
  readonly stop: string
  /** Length of the longest suffix of the text that is a prefix of the string. */
  matched = 0
  /** Length of the longest proper border of each prefix, computed on demand. */
  readonly #shorter = [0, 0]

  constructor(stop: string) {
    this.stop = stop
  }

  /** Returns the index in the piece after the string's first occurrence, 0 if there is none. */
  read(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      this.matched = this.#follow(this.matched, piece[at])
      if (this.matched === this.stop.length) return at + 1
    }
    return 0
  }

  #follow(matched: number, letter: string | undefined): number {
    let length = matched
    while (length > 0 && this.stop[length] !== letter) length = this.#shorterOf(length)
    return this.stop[length] === letter ? length + 1 : length
  }

  #shorterOf(length: number): number {
    for (let next = this.#shorter.length; next <= length; next++) {
      this.#shorter.push(this.#follow(this.#shorter[next - 1] ?? 0, this.stop[next - 1]))
    }
    return this.#shorter[length] ?? 0
  }
}
