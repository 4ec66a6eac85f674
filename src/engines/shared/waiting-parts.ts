import { WeightedFairQueue } from '../../core/weighted-fair-queue.ts'

export interface WaitingPart<Part> {
  readonly part: Part
  /** Position among the parts of its request. */
  readonly index: number
}

/** Request whose parts wait. */
export interface PartsRequest<Part> {
  readonly accountId: string
  /** Waiting parts, in order. */
  readonly waiting: WaitingPart<Part>[]
  /** Number of runs that could take none of its parts. Kept for the batching policy. */
  passedOver: number
}

export interface BegunPart<Part, Request> extends WaitingPart<Part> {
  readonly request: Request
}

/** Turn of one request. */
export interface PartsTurn<Part> {
  readonly request: PartsRequest<Part>
  /** Next part of the request. */
  readonly part: Part
  /** Takes a part into the run, by default the next. The request's next turn comes after the others of its account. */
  take(position?: number): void
}

/** State by which a batching policy decides whether to start a run. */
export interface RunsNow {
  /** Number of runs being computed. */
  readonly runs: number
  /** Most parallel runs. */
  readonly lanes: number
  /** Cost of the parts in all running runs. */
  readonly runningCost: number
  /** Cost of all waiting parts. */
  readonly waitingCost: number
}

/**
 * Yields requests in the order of their turns. A request of which a part was taken comes again. Urgent requests come
 * first.
 */
export type PartsTurns<Part> = (urgency?: {
  readonly isUrgent: (request: PartsRequest<Part>) => boolean
  /** Cost by which the account of an urgent request may lead the others. */
  readonly lead: number
}) => Generator<PartsTurn<Part>>

/** Takes the parts of the next run, or none if no run may start. */
export type Batching<Part> = (turns: PartsTurns<Part>, now: RunsNow) => void

/** Batching policy for parts that are computed one by one. */
export const oneByOne: Batching<unknown> = (turns, { runs, lanes }) => {
  if (runs < lanes) turns().next().value?.take()
}

export interface WaitingPartsOptions<Part, Request> {
  readonly costOf: (part: Part) => number
  /** True if parts are taken in any order, so that turns do not depend on the next part's cost. */
  readonly isUnordered?: boolean | undefined
  /** Returns true if parts of the request may be taken now. */
  readonly mayBegin?: (request: Request) => boolean
}

/**
 * Waiting parts. Accounts have equal shares, measured by the cost of parts; the requests of an account take turns part
 * by part.
 */
export class WaitingParts<Part, Request extends PartsRequest<Part>> {
  readonly #options: WaitingPartsOptions<Part, Request>
  readonly #queue = new WeightedFairQueue<Request>()
  readonly #leave = new Map<Request, () => void>()
  #cost = 0

  constructor(options: WaitingPartsOptions<Part, Request>) {
    this.#options = options
  }

  /** Cost of all waiting parts. */
  get cost(): number {
    return this.#cost
  }

  add(request: Request, parts: readonly WaitingPart<Part>[]): void {
    for (const waiting of parts) {
      request.waiting.push(waiting)
      this.#cost += this.#options.costOf(waiting.part)
    }
    if (request.waiting.length === 0 || this.#leave.has(request)) return
    this.#leave.set(request, this.#queue.add(request.accountId, this.#turnCost(request), request))
  }

  /** Removes the parts of a request. */
  remove(request: Request): void {
    const leave = this.#leave.get(request)
    if (leave === undefined) return
    for (const { part } of request.waiting) this.#cost -= this.#options.costOf(part)
    request.waiting.length = 0
    leave()
    this.#leave.delete(request)
  }

  /** Takes the parts of the next run, or none if no run may start. */
  take(batching: Batching<Part>, now: Omit<RunsNow, 'waitingCost'>): readonly BegunPart<Part, Request>[] {
    const run: BegunPart<Part, Request>[] = []
    if (this.#leave.size === 0) return run
    batching((urgency) => this.#turns(run, urgency), { ...now, waitingCost: this.#cost })
    return run
  }

  *#turns(
    run: BegunPart<Part, Request>[],
    urgency: Parameters<PartsTurns<Part>>[0],
  ): Generator<PartsTurn<Part>, undefined> {
    const { costOf, mayBegin } = this.#options
    for (const { item: request, serve } of this.#queue.turns(urgency)) {
      const [next] = request.waiting
      if (next === undefined || mayBegin?.(request) === false) continue
      yield {
        request,
        part: next.part,
        take: (position = 0) => {
          const [taken] = request.waiting.splice(position, 1)
          if (taken === undefined) return
          const cost = costOf(taken.part)
          this.#cost -= cost
          serve(cost, this.#turnCost(request))
          if (request.waiting.length === 0) this.remove(request)
          run.push({ request, ...taken })
        },
      }
    }
  }

  #turnCost({ waiting: [next] }: Request): number {
    return next === undefined || this.#options.isUnordered === true ? 0 : this.#options.costOf(next.part)
  }
}
