import type { ApiError } from '../../core/errors.ts'
import type { Consumption } from '../../core/usage.ts'
import type { EngineStats } from '../protocol/engine.ts'
import type { Batching } from './waiting-parts.ts'

/** Kind of work that is done in parts. */
export interface PartsEngine<Work, Part, Result, Output> {
  /** Reads a request. Throws ApiError if it is refused. */
  open(work: Work, line: JobLine<Output>): Job<Part, Result, Output> | Promise<Job<Part, Result, Output>>
  /** Computes the parts of one run. Returns the result of each, or why it has none. Never rejects. */
  compute(parts: readonly Part[]): Promise<readonly PromiseSettledResult<Result>[]>
  /** Cost of a part, by which accounts have equal shares. */
  costOf(part: Part): number
  /** Chooses the parts of each run. */
  readonly batching: Batching<Part>
  /** True if the policy chooses among all parts of a request. Absent: it takes them in order. */
  readonly isUnordered?: boolean
  /** Time of the event `start`: with the grant, or with the first part. */
  readonly startsWith: 'grant' | 'part'
  /** Parts found ahead, by engines that do not find all at once. */
  readonly partsAhead?: number
  /** Parts of a request that may be begun before the first of them is accepted. Defaults to any number. */
  readonly unacceptedLimit?: number
  /** Room for requests. Defaults to any number. */
  readonly room?: Room
  /** Called with the number of runs that may be computed side by side, when it changes. */
  useLanes?(lanes: number): void
  /** Counts of its own. */
  stats?(): Partial<EngineStats>
  /** Logs why a request failed, and returns its error. */
  toError(thrown: unknown): ApiError
}

/** One request as its engine sees it. */
export interface Job<Part, Result, Output> {
  /** Consumption of the whole request. Undefined for free work, which needs no grant. */
  readonly total?: Consumption | undefined
  /** Returns its parts, or the next of them: it is called again while few of them wait. */
  partsOf(): FoundParts<Part> | Promise<FoundParts<Part>>
  /** Takes the results in the order of the parts. */
  accept(result: Result, part: Part): void | Promise<void>
  /** Returns the last outputs, once all results are accepted. */
  finish(): readonly Output[] | Promise<readonly Output[]>
  /** Returns the consumption of a cancelled request from its begun parts, the first begun first. */
  consumed(begun: readonly Part[]): Consumption
  /** Frees what it holds, also while it looks for parts or accepts a result. */
  close?(): void
}

export interface FoundParts<Part> {
  readonly parts: readonly Part[]
  /** True if there are no more. */
  readonly isLast: boolean
}

/** Connection of a request to the loop. */
export interface JobLine<Output> {
  readonly id: number
  /** False once the request has ended. */
  isWanted(): boolean
  /** Sends outputs at once. */
  send(outputs: readonly Output[]): void
}

/** An account may fill half of the room. One without open requests is always admitted. */
interface Room {
  /** Limit on the cost of parts that have not begun. */
  readonly costLimit: number
  costOf(total: Consumption): number
  refusal(): ApiError
}
