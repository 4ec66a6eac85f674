/** Prepares requests for the step loop: one at a time, accounts in turn. */
import { FairQueue } from './fair-queue.ts'

export interface Incoming<Request> {
  readonly id: number
  readonly accountId: string
  readonly request: Request
}

export interface LaneOptions<Request, Prepared> {
  /** Rejects when the request cannot be served. `signal` aborts when nobody wants it any more. */
  readonly prepare: (incoming: Incoming<Request>, signal: AbortSignal) => Promise<Prepared>
  readonly onPrepared: (prepared: Prepared) => void
  readonly onRefused: (id: number, error: unknown) => void
}

export class IntakeLane<Request, Prepared> {
  readonly #options: LaneOptions<Request, Prepared>
  readonly #waiting = new FairQueue<Incoming<Request>>()
  /** The one being prepared; undefined when it was cancelled meanwhile, or there is none. */
  #current: { readonly id: number; readonly abort: AbortController } | undefined
  #isRunning = false

  constructor(options: LaneOptions<Request, Prepared>) {
    this.#options = options
  }

  /** Requests that have not been handed on. */
  get size(): number {
    return this.#waiting.size + (this.#current === undefined ? 0 : 1)
  }

  add(incoming: Incoming<Request>): void {
    this.#waiting.push(incoming.accountId, incoming)
    if (!this.#isRunning) void this.#run()
  }

  /** Neither `onPrepared` nor `onRefused` is called for it any more. False when it is not here. */
  cancel(id: number): boolean {
    if (this.#current?.id === id) {
      const { abort } = this.#current
      this.#current = undefined
      abort.abort()
      return true
    }
    const before = this.#waiting.size
    this.#waiting.remove((incoming) => incoming.id === id)
    return this.#waiting.size < before
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let incoming = this.#waiting.shift(); incoming !== undefined; incoming = this.#waiting.shift()) {
      const { id } = incoming
      const current = { id, abort: new AbortController() }
      this.#current = current
      // One that was cancelled takes up time until its preparation has ended: the next begins after that.
      const handOn = await this.#options.prepare(incoming, current.abort.signal).then(
        (prepared) => () => this.#options.onPrepared(prepared),
        (error: unknown) => () => this.#options.onRefused(id, error),
      )
      if (this.#current !== current) continue
      // From here on it is no longer ours to cancel.
      this.#current = undefined
      handOn()
    }
    this.#isRunning = false
  }
}
