import { systemClock } from '../../core/clock.ts'
import { WaitLimit } from '../../core/wait-limit.ts'
import { WebError } from './web-error.ts'

/** Fewer bytes than this in the time are no bytes: a server can keep a connection open for ever by one byte at a time. */
const leastBytes = 16 * 1024

/**
 * Ends a connection that does not deliver. Only the time spent waiting for it counts, so that our own slowness does not.
 * `abort` is called once, with a WebError of kind `again`.
 */
export class StallGuard {
  readonly #limit = new WaitLimit(systemClock)
  /** Bytes since it last delivered enough. */
  #bytes = 0

  constructor(host: string, limitMs: number, abort: (reason: WebError) => void) {
    this.#limit.begin(limitMs, () => {
      const bytes = this.#bytes === 0 ? 'nothing' : `only ${this.#bytes} bytes`
      abort(new WebError('again', `${host} has sent ${bytes} in ${limitMs / 1000} seconds`))
    })
  }

  /** Waits for the next thing that the connection delivers. */
  async wait<Result>(next: Promise<Result>, bytesOf: (result: Result) => number): Promise<Result> {
    const result = await this.#limit.wait(next)
    this.#bytes += bytesOf(result)
    if (this.#bytes >= leastBytes) {
      this.#bytes = 0
      this.#limit.progress()
    }
    return result
  }

  /** Stops waiting for the connection. */
  end(): void {
    this.#limit.end()
  }
}
