/** A request's events and the grants that it is computed with. */

import type { ErrorData } from '../../core/errors.ts'
import type { Consumption } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'

/** Event of request `id`. `Event` is the event type of its kind of work. */
export type RequestEvent<Event extends WorkEvent = WorkEvent> =
  | { readonly id: number; readonly prepared: Estimate }
  | { readonly id: number; readonly event: Event }
  | { readonly id: number; readonly wantsGrant: true }
  /** Keys of all its parts that are decoded or encoded from now on. Sent before the work begins, since it may kill the child. */
  | { readonly id: number; readonly encoding: readonly string[] }
  /** Computed work: prompt tokens processed (cached ones included, none twice), tokens taken of all choices; `isEstimated` as in `FinishEvent`. */
  | { readonly id: number; readonly cancelled: Consumption; readonly isEstimated?: true | undefined }
  | { readonly id: number; readonly error: ErrorData }

/** Consumption of a request as far as it is known before anything is computed. Tokens of several choices count together. */
export interface Estimate {
  /** Certain consumption: the prompt, the texts. */
  readonly least: Consumption
  /** The maximum, by the request's own limit and by the context. */
  readonly most: Consumption
  /** The engine cannot be granted more later: its first grant is final. Absent: it can. */
  readonly isOnlyGrant?: true | undefined
}

/** Permission of the parent to compute. */
export interface Grant {
  /**
   * Consumption that is allowed in all, counted from the beginning of the request. Tokens of several choices count together, and
   * each choice may have an equal part. A later grant takes nothing back.
   */
  readonly limit: Consumption
  /** No more will come: an answer that gets there ends with reason `length`. Otherwise it waits there for the next grant. */
  readonly isFinal: boolean
}

/** An engine asks for the next grant this many tokens ahead, or half a grant: the answer goes on meanwhile. */
const askedAheadTokens = 64

/** Tokens that a choice has when the engine asks for more than the `grantedTokens` of a grant that is not final. */
export function asksForMoreAt(grantedTokens: number): number {
  return grantedTokens - Math.min(askedAheadTokens, Math.floor(grantedTokens / 2))
}
