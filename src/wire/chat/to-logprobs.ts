import type { TokenAlternative, TokenLogprob } from '../../core/chat.ts'

interface WireAlternative {
  readonly token: string
  readonly logprob: number
  /** The token's bytes: lets clients join characters that were split over tokens. */
  readonly bytes: readonly number[]
}

export interface WireLogprob extends WireAlternative {
  readonly top_logprobs: readonly WireAlternative[]
}

export interface WireLogprobs {
  readonly content: readonly WireLogprob[]
  readonly refusal: null
}

/** Log probabilities of the tokens of one delta or of a whole message. */
export function toLogprobs(tokens: readonly TokenLogprob[]): WireLogprobs {
  return {
    content: tokens.map((token) => ({ ...toAlternative(token), top_logprobs: token.alternatives.map(toAlternative) })),
    refusal: null,
  }
}

/** JSON has no -Infinity (a token the sampler ruled out): the contract's stand-in is -9999. */
function toAlternative({ token, bytes, logprob }: TokenAlternative): WireAlternative {
  return { token, logprob: Number.isFinite(logprob) ? logprob : -9999, bytes }
}
