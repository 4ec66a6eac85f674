import { systemClock } from '../../core/clock.ts'
import { WaitLimit } from '../../core/wait-limit.ts'
import { WebError } from './web-error.ts'

/** Fewest bytes per time limit that count as progress: a server can keep a connection open for ever by single bytes. */
const leastBytes = 16 * 1024

/**
 * Ends a connection that delivers too little within its time limit. Only time spent waiting for the connection counts,
 * not our own work. Calls `abort` once, with a WebError of kind `again`.
 */
export class StallGuard {
  readonly #limit = new WaitLimit(systemClock)
  /** Bytes since the last progress. */
  #bytes = 0

  constructor(host: string, limitMs: number, abort: (reason: WebError) => void) {
    this.#limit.begin(limitMs, () => {
      const bytes = this.#bytes === 0 ? 'nothing' : `only ${this.#bytes} bytes`
      abort(new WebError('again', `${host} has sent ${bytes} in ${limitMs / 1000} seconds`))
    })
  }

  /** Waits for the next result of the connection. `bytesOf` returns its size. */
  async wait<Result>(next: Promise<Result>, bytesOf: (result: Result) => number): Promise<Result> {
    const result = await this.#limit.wait(next)
    this.#bytes += bytesOf(result)
    if (this.#bytes >= leastBytes) {
      this.#bytes = 0
      this.#limit.progress()
    }
    return result
  }

  /** Ends the time limit. */
  end(): void {
    this.#limit.end()
  }
}
