/**
 * Prepares requests for the step loop. A lane prepares one request at a time, on a thread, accounts in turn. Chats and
 * counts, and long requests and short ones, have lanes of their own: a long conversation, which takes seconds to render,
 * delays no short one, and counting, which is free, delays no chat.
 */
import { FairQueue } from './steps/fair-queue.ts'

export interface Incoming<Request> {
  readonly id: number
  readonly accountId: string
  readonly request: Request
}

export interface IntakeOptions<Request> {
  /** Any name. Requests of the same lane wait for each other. */
  readonly laneOf: (request: Request) => string
  /** Resolves with what hands the request on. Rejects when it cannot be served. `signal` aborts when it is cancelled. */
  readonly prepare: (incoming: Incoming<Request>, signal: AbortSignal) => Promise<() => void>
  readonly onRefused: (id: number, error: unknown) => void
}

export class Intake<Request> {
  readonly #options: IntakeOptions<Request>
  readonly #lanes = new Map<string, Lane<Request>>()

  constructor(options: IntakeOptions<Request>) {
    this.#options = options
  }

  /** Requests that have not been handed on. */
  get size(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.size, 0)
  }

  add(incoming: Incoming<Request>): void {
    const name = this.#options.laneOf(incoming.request)
    const lane = this.#lanes.get(name) ?? new Lane(this.#options)
    this.#lanes.set(name, lane)
    lane.add(incoming)
  }

  /** The request is neither handed on nor refused any more. False when it is not here. */
  cancel(id: number): boolean {
    return [...this.#lanes.values()].some((lane) => lane.cancel(id))
  }
}

class Lane<Request> {
  readonly #options: IntakeOptions<Request>
  readonly #waiting = new FairQueue<Incoming<Request>>()
  /** The one being prepared; undefined when it was cancelled meanwhile, or there is none. */
  #current: { readonly id: number; readonly abort: AbortController } | undefined
  #isRunning = false

  constructor(options: IntakeOptions<Request>) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.size + (this.#current === undefined ? 0 : 1)
  }

  add(incoming: Incoming<Request>): void {
    this.#waiting.push(incoming.accountId, incoming)
    if (!this.#isRunning) void this.#run()
  }

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
      // The next preparation begins when this one has ended, also when it was cancelled.
      const handOn = await this.#options
        .prepare(incoming, current.abort.signal)
        .catch((error: unknown) => () => this.#options.onRefused(id, error))
      if (this.#current !== current) continue
      // From here on it cannot be cancelled here.
      this.#current = undefined
      handOn()
    }
    this.#isRunning = false
  }
}
