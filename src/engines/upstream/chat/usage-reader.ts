/** Tokens of one answer as the server counts them so far: whole, finite, at least 0, and never smaller than before. */
export interface CumulativeUsage {
  readonly promptTokens: number
  /** At most `promptTokens`. */
  readonly cachedTokens: number
  readonly completionTokens: number
  /** At most `completionTokens`. */
  readonly reasoningTokens: number
}
