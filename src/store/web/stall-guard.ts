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
  /** Since it last delivered enough. */
  #waitedMs = 0
  #bytes = 0
  /** Begin of the present wait. */
  #sinceMs: number | undefined
  #timer: Timer | undefined

  constructor(host: string, limitMs: number, abort: (reason: WebError) => void) {
    this.#host = host
    this.#limitMs = limitMs
    this.#abort = abort
  }

  /** Waits for the next thing that the connection delivers. */
  async wait<Result>(next: Promise<Result>, bytesOf: (result: Result) => number): Promise<Result> {
    this.#sinceMs = performance.now()
    // One timer over many waits: there are thousands in a second.
    this.#timer ??= setTimeout(() => this.#check(), this.#limitMs - this.#waitedMs)
    try {
      const result = await next
      this.#count(bytesOf(result))
      return result
    } finally {
      this.#sinceMs = undefined
    }
  }

  /** Stops waiting for the connection. */
  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#waitedMs = this.#waitedNow()
    if (this.#bytes < leastBytes) return
    this.#bytes = 0
    this.#waitedMs = 0
  }

  #check(): void {
    const leftMs = this.#limitMs - this.#waitedNow()
    if (leftMs <= 0) this.#abort(this.#stalled())
    else this.#timer = setTimeout(() => this.#check(), leftMs)
  }

  #waitedNow(): number {
    return this.#waitedMs + (this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs)
  }

  #stalled(): WebError {
    const bytes = this.#bytes === 0 ? 'nothing' : `only ${this.#bytes} bytes`
    return new WebError('again', `${this.#host} has sent ${bytes} in ${this.#limitMs / 1000} seconds`)
  }
}
