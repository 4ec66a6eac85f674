import type { TokenAlternative, TokenLogprob } from '../../core/chat.ts'

export type WireLogprob = ReturnType<typeof toLogprob>

/** Returns log probabilities of the tokens of one delta or of a whole message. */
export function toLogprobs(tokens: readonly TokenLogprob[]) {
  return { content: tokens.map(toLogprob), refusal: null }
}

function toLogprob(token: TokenLogprob) {
  return { ...toAlternative(token), top_logprobs: token.alternatives.map(toAlternative) }
}

/**
 * Returns an alternative with its bytes, which let clients join characters that were split over tokens. JSON has no
 * -Infinity, the value of excluded tokens: the contract's stand-in is -9999.
 */
function toAlternative({ token, bytes, logprob, id }: TokenAlternative) {
  return {
    token: id === undefined ? token : `token_id:${id}`,
    logprob: Number.isFinite(logprob) ? logprob : -9999,
    bytes,
  }
}
