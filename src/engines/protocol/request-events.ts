/** Events of a request, and the grants for it. */

import type { ErrorData } from '../../core/errors.ts'
import type { Consumption } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'

/** Event of request `id`. `Event` is the event type of its kind of work. */
export type RequestEvent<Event extends WorkEvent = WorkEvent> =
  | { readonly id: number; readonly prepared: Estimate }
  | { readonly id: number; readonly event: Event }
  | { readonly id: number; readonly wantsGrant: true }
  /**
   * Keys of all parts of the request that are being decoded or encoded. Sent before the work begins, since it may kill
   * the child.
   */
  | { readonly id: number; readonly encoding: readonly string[] }
  /**
   * Computed work: prompt tokens processed (cached ones included, each once), and tokens taken of all choices.
   * `isEstimated` as in `FinishEvent`.
   */
  | { readonly id: number; readonly cancelled: Consumption; readonly isEstimated?: true | undefined }
  | { readonly id: number; readonly error: ErrorData }

/** Consumption of a request as known before anything is computed. Tokens of several choices count together. */
export interface Estimate {
  /** Certain consumption, such as the prompt. */
  readonly least: Consumption
  /** Most that the request can consume, by its own limit and the context. */
  readonly most: Consumption
  /** True if the engine cannot be granted more later: its first grant is final. */
  readonly isOnlyGrant?: true | undefined
}

/** Permission to compute, from the parent. */
export interface Grant {
  /**
   * Total consumption allowed, counted from the beginning of the request. Tokens of several choices count together,
   * and each choice may use an equal part. A later grant takes nothing back.
   */
  readonly limit: Consumption
  /**
   * True if no further grant will come: an answer that reaches the limit ends with reason `length`. Otherwise it waits
   * there for the next grant.
   */
  readonly isFinal: boolean
}

/**
 * Tokens before the end of a grant at which the engine asks for the next one, at most half the grant, so that the
 * answer need not wait.
 */
const askedAheadTokens = 64

/**
 * Returns the number of a choice's tokens at which the engine asks for more than a non-final grant of `grantedTokens`.
 */
export function asksForMoreAt(grantedTokens: number): number {
  return grantedTokens - Math.min(askedAheadTokens, Math.floor(grantedTokens / 2))
}
