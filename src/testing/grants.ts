import { nothingConsumed } from '../core/usage.ts'
import type { Estimate, Grant } from '../engines/protocol/request-events.ts'

/** Grants this many tokens for all choices together; more may follow. */
export const upTo = (completionTokens: number): Grant => ({
  limit: { ...nothingConsumed, completionTokens },
  isFinal: false,
})

/** Grants this many tokens for all choices together, and no more. */
export const lastOf = (completionTokens: number): Grant => ({ ...upTo(completionTokens), isFinal: true })

/** Returns the estimate of a chat with a prompt of this length and at most this many answer tokens. */
export function estimateOf(promptTokens: number, completionTokens = 0): Estimate {
  const least = { ...nothingConsumed, promptTokens }
  return { least, most: { ...least, completionTokens } }
}
