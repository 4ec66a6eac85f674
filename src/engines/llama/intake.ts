/**
 * Prepares requests for the step loop. A lane prepares one request at a time, on a thread, accounts in turn. Chats and
 * counts, and long requests and short ones, have lanes of their own: a long conversation, which takes seconds to
 * render, delays no short one, and counting, which is free, delays no chat.
 */
import { FairQueue } from './steps/fair-queue.ts'

export interface Incoming<Request> {
  readonly id: number
  readonly accountId: string
  readonly request: Request
}

export interface IntakeOptions<Request> {
  /** Returns the lane's name. Requests of the same lane wait for each other. */
  readonly laneOf: (request: Request) => string
  /**
   * Resolves with a function that hands the request on. Rejects if it cannot be served. `signal` aborts on
   * cancellation.
   */
  readonly prepare: (incoming: Incoming<Request>, signal: AbortSignal) => Promise<() => void>
  readonly onRefused: (id: number, error: unknown) => void
}

interface Lane<Request> {
  readonly waiting: FairQueue<Incoming<Request>>
  /** Request being prepared. Undefined if it was cancelled meanwhile, or there is none. */
  current: { readonly id: number; readonly abort: AbortController } | undefined
  isRunning: boolean
}

export class Intake<Request> {
  readonly #options: IntakeOptions<Request>
  readonly #lanes = new Map<string, Lane<Request>>()

  constructor(options: IntakeOptions<Request>) {
    this.#options = options
  }

  /** Number of requests that have not been handed on. */
  get size(): number {
    let size = 0
    for (const { waiting, current } of this.#lanes.values()) size += waiting.size + (current === undefined ? 0 : 1)
    return size
  }

  add(incoming: Incoming<Request>): void {
    const name = this.#options.laneOf(incoming.request)
    const lane = this.#lanes.get(name) ?? { waiting: new FairQueue(), current: undefined, isRunning: false }
    this.#lanes.set(name, lane)
    lane.waiting.push(incoming.accountId, incoming)
    if (!lane.isRunning) void this.#run(lane)
  }

  /** Cancels a request: it is neither handed on nor refused. Returns false if it is not here. */
  cancel(id: number): boolean {
    for (const lane of this.#lanes.values()) {
      const { current, waiting } = lane
      if (current?.id === id) {
        lane.current = undefined
        current.abort.abort()
        return true
      }
      if (waiting.remove((incoming) => incoming.id === id)) return true
    }
    return false
  }

  async #run(lane: Lane<Request>): Promise<void> {
    const { waiting } = lane
    lane.isRunning = true
    for (let incoming = waiting.shift(); incoming !== undefined; incoming = waiting.shift()) {
      const { id } = incoming
      const current = { id, abort: new AbortController() }
      lane.current = current
      // The next preparation waits for this one even if it was cancelled.
      const handOn = await this.#options
        .prepare(incoming, current.abort.signal)
        .catch((error: unknown) => () => this.#options.onRefused(id, error))
      if (lane.current !== current) continue
      // Too late for a cancellation here.
      lane.current = undefined
      handOn()
    }
    lane.isRunning = false
  }
}
