/** Layout of a model's KV cache, and the reason for it, as operators see both. */

/**
 * - `request-tokens`: the operator has set `--request-tokens`.
 * - `all-fit`: the model allows no request that is longer than its part.
 * - `cpu`: the CPU computes, if only a part.
 * - `draft-head`, `sliding-window`, `long-factors`: the model has one, or factors for long contexts (LongRoPE).
 * - `fastest`: measured to give the most tokens a second.
 * - `long-requests`: the fastest among those that hold requests as long as the latest.
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
  /** Requests side by side, at most. */
  readonly sequences: number
  /** Longest prompt and answer of one request. */
  readonly tokensEach: number
}

export interface ReasonedLayout extends CacheLayout {
  readonly reason: CacheReason
}
