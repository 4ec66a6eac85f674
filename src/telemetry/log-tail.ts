import { type TailLine, tailLine } from './log-line.ts'

const maximumLines = 500

/** Latest lines of the log, for the operator's pages. */
export class LogTail {
  /** Lines as the log writes them. */
  #lines: string[] = []
  readonly #followers = new Set<(line: TailLine) => void>()

  add(json: string): void {
    this.#lines.push(json)
    // Not at each line, since removing the first line moves all others.
    if (this.#lines.length >= 2 * maximumLines) this.#lines = this.#lines.slice(-maximumLines)
    if (this.#followers.size === 0) return
    const line = tailLine(json)
    for (const follower of this.#followers) follower(line)
  }

  /** Returns at most 500 lines, the oldest first. */
  lines(): TailLine[] {
    return this.#lines.slice(-maximumLines).map(tailLine)
  }

  /** Calls `follower` with each later line. Returns a function that ends this. `follower` must not throw or log. */
  follow(follower: (line: TailLine) => void): () => void {
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }
}
