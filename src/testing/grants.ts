import { nothingConsumed } from '../core/usage.ts'
import type { Estimate, Grant } from '../engines/protocol/request-events.ts'

/** So many tokens for all choices together; more may come. */
export const upTo = (completionTokens: number): Grant => ({
  limit: { ...nothingConsumed, completionTokens },
  isFinal: false,
})

/** So many tokens for all choices together, and no more. */
export const lastOf = (completionTokens: number): Grant => ({ ...upTo(completionTokens), isFinal: true })

/** Of a chat with so long a prompt and answers that have at most so many tokens together. */
export function estimateOf(promptTokens: number, completionTokens = 0): Estimate {
  const least = { ...nothingConsumed, promptTokens }
  return { least, most: { ...least, completionTokens } }
}
