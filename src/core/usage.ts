/** What one request really used, counted by the engine. */
export interface Usage {
  /** Tokens of the rendered prompt, cached ones included. */
  readonly promptTokens: number
  /** Prompt tokens that were already in the KV cache; at most `promptTokens`. */
  readonly cachedTokens: number
  /** Generated tokens over all choices, reasoning included. */
  readonly completionTokens: number
  /** Generated tokens inside the reasoning block; at most `completionTokens`. */
  readonly reasoningTokens: number
}
