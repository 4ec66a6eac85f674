/**
 * Prepares requests for the step loop. A lane prepares one request at a time, on a thread, with accounts in turn. Chats
 * and counts have separate lanes, and so do long and short requests: a long conversation, which takes seconds to
 * render, delays no short one, and counting, which is free, delays no chat.
 */
import { Turns } from '../../core/turns.ts'

interface Incoming<Request> {
  readonly id: number
  readonly accountId: string
  readonly request: Request
}

export interface IntakeOptions<Request> {
  /** Returns the lane's name. Requests of the same lane wait for each other. */
  readonly laneOf: (request: Request) => string
  /**
   * Resolves with a function that hands the request on. Rejects if the request cannot be served. `signal` aborts on
   * cancellation.
   */
  readonly prepare: (incoming: Incoming<Request>, signal: AbortSignal) => Promise<() => void>
  readonly onRefused: (id: number, error: unknown) => void
}

export class Intake<Request> {
  readonly #options: IntakeOptions<Request>
  readonly #lanes = new Map<string, Turns>()
  /** Requests that were not handed on yet. */
  readonly #open = new Map<number, AbortController>()

  constructor(options: IntakeOptions<Request>) {
    this.#options = options
  }

  /** Number of requests that were not handed on yet. */
  get size(): number {
    return this.#open.size
  }

  add(incoming: Incoming<Request>): void {
    const abort = new AbortController()
    this.#open.set(incoming.id, abort)
    void this.#run(incoming, abort)
  }

  /** Cancels a request, which is then neither handed on nor refused. Returns false for an unknown request. */
  cancel(id: number): boolean {
    const abort = this.#open.get(id)
    this.#open.delete(id)
    abort?.abort()
    return abort !== undefined
  }

  async #run(incoming: Incoming<Request>, { signal }: AbortController): Promise<void> {
    const { id, accountId, request } = incoming
    const { laneOf, prepare, onRefused } = this.#options
    const lane = this.#lanes.getOrInsertComputed(laneOf(request), () => new Turns({ all: 1 }))
    // The next preparation waits for this one even if it is cancelled.
    using turn = await lane.take(accountId, 1, signal).catch(() => undefined)
    if (turn === undefined || signal.aborted) return
    const handOn = await prepare(incoming, signal).catch((error: unknown) => () => onRefused(id, error))
    if (signal.aborted) return
    // The intake can no longer cancel the request.
    this.#open.delete(id)
    handOn()
  }
}
