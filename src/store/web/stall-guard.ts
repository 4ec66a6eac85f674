import { WebError } from './web-error.ts'

/** Fewer bytes than this in the time are no bytes: a server can keep a connection open for ever by one byte at a time. */
const leastBytes = 16 * 1024

/**
 * Ends a connection that does not deliver. Only the time spent waiting for it counts, so that our own slowness does not.
 * `abort` is called once, with a WebError of kind `again`.
 */
export class StallGuard {
  readonly #limitMs: number
  readonly #abort: (reason: WebError) => void
  readonly #host: string
  #waitedMs = 0
  #bytes = 0

  constructor(host: string, limitMs: number, abort: (reason: WebError) => void) {
    this.#host = host
    this.#limitMs = limitMs
    this.#abort = abort
  }

  /** Waits for the next thing that the connection delivers. */
  async wait<Result>(next: Promise<Result>, bytesOf: (result: Result) => number): Promise<Result> {
    const startMs = performance.now()
    const timer = setTimeout(() => this.#abort(this.#stalled()), Math.max(this.#limitMs - this.#waitedMs, 0))
    try {
      const result = await next
      this.#count(performance.now() - startMs, bytesOf(result))
      return result
    } finally {
      clearTimeout(timer)
    }
  }

  #count(waitedMs: number, bytes: number): void {
    this.#bytes += bytes
    this.#waitedMs += waitedMs
    if (this.#bytes < leastBytes) return
    this.#bytes = 0
    this.#waitedMs = 0
  }

  #stalled(): WebError {
    const bytes = this.#bytes === 0 ? 'nothing' : `only ${this.#bytes} bytes`
    return new WebError('again', `${this.#host} has sent ${bytes} in ${this.#limitMs / 1000} seconds`)
  }
}
