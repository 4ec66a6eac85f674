/** Finds a request's stop strings in visible text, wherever it is cut into pieces. */

export interface Matched {
  /** May be given out now: never a stop string or a possible beginning of one. */
  readonly text: string
  /** The stop string that was found. What came after it is dropped. */
  readonly stop?: string
}

export class StopMatcher {
  readonly #stops: readonly string[]
  #held = ''

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '')
  }

  /** The stop string that begins first counts; of several that begin there, the first in the list. */
  push(piece: string): Matched {
    if (this.#stops.length === 0) return { text: piece }
    const text = this.#held + piece
    let found: { at: number; stop: string } | undefined
    let heldLength = 0
    for (const stop of this.#stops) {
      const at = text.indexOf(stop)
      if (at >= 0 && (found === undefined || at < found.at)) found = { at, stop }
      heldLength = Math.max(heldLength, overlap(text, stop))
    }
    this.#held = found === undefined ? text.slice(text.length - heldLength) : ''
    if (found !== undefined) return { text: text.slice(0, found.at), stop: found.stop }
    return { text: text.slice(0, text.length - heldLength) }
  }

  /** No more text follows here: what was held back is no stop string. */
  flush(): string {
    const held = this.#held
    this.#held = ''
    return held
  }
}

/** Length of the longest end of the text that is a beginning of the stop string. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length
  }
  return 0
}
