import type { TokenAlternative, TokenLogprob } from '../../core/chat.ts'

/** Log probabilities as lists of equal length. */
export interface WireTokenLists {
  readonly tokens: string[]
  readonly token_logprobs: number[]
  /** Null if no alternatives were requested */
  readonly top_logprobs: Record<string, number>[] | null
  readonly text_offset: number[]
}

/** Makes the lists of one choice, delta by delta. */
export class TokenLists {
  readonly #alternatives: number
  /** Position of the next token in code points */
  #offset: number

  /** Creates the lists. `offset` is the length of the text in front of the answer, in code points. */
  constructor(alternatives: number, offset: number) {
    this.#alternatives = alternatives
    this.#offset = offset
  }

  of(tokens: readonly TokenLogprob[]): WireTokenLists {
    return {
      tokens: tokens.map(textOf),
      token_logprobs: tokens.map(logprobOf),
      top_logprobs: this.#alternatives === 0 ? null : tokens.map(toTop),
      text_offset: tokens.map((token) => this.#take(token)),
    }
  }

  #take({ bytes }: TokenLogprob): number {
    const offset = this.#offset
    // In UTF-8, every byte of a code point except the first begins with the bits 10.
    this.#offset += bytes.filter((byte) => (byte & 0xc0) !== 0x80).length
    return offset
  }
}

/**
 * Returns the likeliest tokens, always including the chosen one. If two tokens have the same text, the likelier
 * counts.
 */
function toTop(token: TokenLogprob): Record<string, number> {
  const top: Record<string, number> = {}
  for (const each of [...token.alternatives, token]) {
    const text = textOf(each)
    if (!Object.hasOwn(top, text)) Object.defineProperty(top, text, { value: logprobOf(each), enumerable: true })
  }
  return top
}

/** Returns a token's text, or its bytes if it is a part of a character. */
function textOf({ bytes }: TokenAlternative): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}` // not UTF-8 alone
  }
}

/**
 * Returns the log probability. JSON has no -Infinity, the value of excluded tokens: the contract's stand-in is -9999.
 */
function logprobOf({ logprob }: TokenAlternative): number {
  return Number.isFinite(logprob) ? logprob : -9999
}
