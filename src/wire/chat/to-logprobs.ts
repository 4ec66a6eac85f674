import type { TokenAlternative, TokenLogprob } from '../../core/chat.ts'

export type WireLogprob = ReturnType<typeof toLogprob>

/** Log probabilities of the tokens of one delta or of a whole message. */
export function toLogprobs(tokens: readonly TokenLogprob[]) {
  return { content: tokens.map(toLogprob), refusal: null }
}

function toLogprob(token: TokenLogprob) {
  return { ...toAlternative(token), top_logprobs: token.alternatives.map(toAlternative) }
}

/**
 * The bytes let clients join characters that were split over tokens. JSON has no -Infinity, which is what a token has that
 * the sampler ruled out: the contract's stand-in is -9999.
 */
function toAlternative({ token, bytes, logprob }: TokenAlternative) {
  return { token, logprob: Number.isFinite(logprob) ? logprob : -9999, bytes }
}
