/** Layout of a model's KV cache and the reason for it, in the form that operators see. */

/**
 * Reasons for a layout.
 * - `request-tokens`: the operator has set `--request-tokens`.
 * - `all-fit`: each part of the cache holds the longest request that the model allows.
 * - `cpu`: the CPU computes all of the model, or a part.
 * - `draft-head`, `sliding-window`, `long-factors`: the model has a draft head, a sliding window, or factors for long
 *   contexts (LongRoPE).
 * - `fastest`: this layout gave the most tokens per second in measurements.
 * - `long-requests`: this layout is the fastest of those that hold requests as long as the latest ones.
 */
export type CacheReason =
  | 'request-tokens'
  | 'all-fit'
  | 'cpu'
  | 'draft-head'
  | 'sliding-window'
  | 'long-factors'
  | 'fastest'
  | 'long-requests'

export interface CacheLayout {
  /** True if all sequences share one cache. Otherwise each has a separate one. */
  readonly isUnified: boolean
  /** Most requests side by side. */
  readonly sequences: number
  /** Longest prompt and answer of one request. */
  readonly tokensEach: number
}

export interface ReasonedLayout extends CacheLayout {
  readonly reason: CacheReason
}
