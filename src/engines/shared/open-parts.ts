import type { Job } from './parts-job.ts'
import type { PartsRequest, WaitingPart } from './waiting-parts.ts'

/** Request in the loop of parts: not yet ended, or with parts still being computed. */
export class OpenParts<Part, Result, Output> implements PartsRequest<Part> {
  readonly id: number
  readonly accountId: string
  /** Undefined until the request is read. */
  job: Job<Part, Result, Output> | undefined = undefined
  state: 'opening' | 'prepared' | 'granted' | 'ended' = 'opening'
  isPaused = false
  /** Waiting parts, in order. */
  readonly waiting: WaitingPart<Part>[] = []
  passedOver = 0
  isFinding = false
  /** True once all parts have been found. */
  hasAll = false
  /** Number of parts found. */
  found = 0
  readonly begun: Part[] = []
  /** Number of parts being computed. */
  running = 0
  /** Cost of the waiting parts. 0 if the engine has no limit. */
  leftCost = 0
  /** Results computed ahead of their turn, by position. */
  readonly computed = new Map<number, { readonly part: Part; readonly result: Result }>()
  /** Number of results accepted. */
  accepted = 0
  isAccepting = false

  constructor(id: number, accountId: string) {
    this.id = id
    this.accountId = accountId
  }

  /** True if it needs no grant and is not charged. */
  get isFree(): boolean {
    return this.job !== undefined && this.job.total === undefined
  }

  /** True if all results have been accepted. */
  get isComplete(): boolean {
    return this.hasAll && this.accepted === this.found
  }
}
