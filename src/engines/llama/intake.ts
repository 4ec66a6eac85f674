/**
 * Prepares requests for the step loop: one at a time, accounts in turn, off the loop's own thread. A huge conversation
 * takes seconds to render; it must delay neither the answers that are running nor more than one other request.
 */
import { FairQueue } from './fair-queue.ts'

interface Incoming<Request> {
  readonly id: number
  readonly accountId: string
  readonly request: Request
}

export interface IntakeOptions<Request, Prepared> {
  /** Rejects when the request cannot be served. */
  readonly prepare: (incoming: Incoming<Request>) => Promise<Prepared>
  readonly onPrepared: (prepared: Prepared) => void
  readonly onRefused: (id: number, error: unknown) => void
}

export class Intake<Request, Prepared> {
  readonly #options: IntakeOptions<Request, Prepared>
  readonly #waiting = new FairQueue<Incoming<Request>>()
  /** The one being prepared; undefined when it was cancelled meanwhile, or there is none. */
  #current: Incoming<Request> | undefined
  #isRunning = false

  constructor(options: IntakeOptions<Request, Prepared>) {
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
      this.#current = undefined
      return true
    }
    const before = this.#waiting.size
    this.#waiting.remove((incoming) => incoming.id === id)
    return this.#waiting.size < before
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let incoming = this.#waiting.shift(); incoming !== undefined; incoming = this.#waiting.shift()) {
      this.#current = incoming
      const { id } = incoming
      const handOn = await this.#options.prepare(incoming).then(
        (prepared) => () => this.#options.onPrepared(prepared),
        (error: unknown) => () => this.#options.onRefused(id, error),
      )
      if (this.#current !== incoming) continue
      // From here on it is no longer ours to cancel.
      this.#current = undefined
      handOn()
    }
    this.#isRunning = false
  }
}
