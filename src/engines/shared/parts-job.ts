import type { ApiError } from '../../core/errors.ts'
import type { Consumption } from '../../core/usage.ts'
import type { EngineStats } from '../protocol/engine.ts'
import type { Batching } from './waiting-parts.ts'

/** Kind of work that is done in parts. */
export interface PartsEngine<Work, Part, Result, Output> {
  /** Reads a request. Throws ApiError to refuse it. */
  open(work: Work, line: JobLine<Output>): Job<Part, Result, Output> | Promise<Job<Part, Result, Output>>
  /** Computes the parts of one run. Resolves with each part's result or failure. Never rejects. */
  compute(parts: readonly Part[]): Promise<readonly PromiseSettledResult<Result>[]>
  /** Returns the cost of a part. Accounts have equal shares by cost. */
  costOf(part: Part): number
  /** Chooses the parts of each run. */
  readonly batching: Batching<Part>
  /** True if the policy may choose any part of a request. Otherwise it takes them in order. */
  readonly isUnordered?: boolean
  /** When the event `start` is sent: with the grant, or with the first part. */
  readonly startsWith: 'grant' | 'part'
  /** Parts to find ahead. Only for engines that do not find all parts at once. */
  readonly partsAhead?: number
  /** Parts of a request that may be started before the first of them is accepted. Defaults to any number. */
  readonly unacceptedLimit?: number
  /** Limit on waiting work. Defaults to none. */
  readonly room?: Room
  /** Called with the number of parallel runs when it changes. */
  useLanes?(lanes: number): void
  /** Returns the engine's own counters, besides those of the loop. */
  stats?(): Partial<EngineStats>
  /** Logs why a request failed, and returns its error. */
  toError(thrown: unknown): ApiError
}

/** One request, as implemented by its engine. */
export interface Job<Part, Result, Output> {
  /** Consumption of the whole request. Undefined for free work, which needs no grant. */
  readonly total?: Consumption | undefined
  /** Returns the parts, or the next of them: called again while few of them wait. */
  partsOf(): FoundParts<Part> | Promise<FoundParts<Part>>
  /** Takes the results in the order of the parts. */
  accept(result: Result, part: Part): void | Promise<void>
  /** Returns the last outputs, once all results are accepted. */
  finish(): readonly Output[] | Promise<readonly Output[]>
  /** Returns the consumption of a cancelled request from its started parts, in the order of their starts. */
  consumed(begun: readonly Part[]): Consumption
  /** Frees the job's resources. May be called while the job finds parts or accepts a result. */
  close?(): void
}

export interface FoundParts<Part> {
  readonly parts: readonly Part[]
  /** True if no more parts follow. */
  readonly isLast: boolean
}

/** Connection of a job to the loop. */
export interface JobLine<Output> {
  readonly id: number
  /** Returns whether the request is still open. */
  isWanted(): boolean
  /** Sends outputs at once. */
  send(outputs: readonly Output[]): void
}

/** Limit on waiting work. An account may fill half of it. An account without open requests is always admitted. */
interface Room {
  /** Limit on the cost of waiting parts. */
  readonly costLimit: number
  costOf(total: Consumption): number
  refusal(): ApiError
}
