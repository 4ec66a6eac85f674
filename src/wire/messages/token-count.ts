export interface TokenCount {
  readonly input_tokens: number
  /** What it was before old parts of the conversation were cleared: here nothing ever is. */
  readonly context_management: { readonly original_input_tokens: number }
}

/** The answer of /messages/count_tokens. */
export function toTokenCount(tokens: number): TokenCount {
  return { input_tokens: tokens, context_management: { original_input_tokens: tokens } }
}
