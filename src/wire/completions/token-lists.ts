import type { PromptScores, TokenAlternative, TokenLogprob } from '../../core/chat.ts'
import { placesOf, type ScoredToken } from '../chat/prompt-scores.ts'

/** Log probabilities as lists of equal length. */
export interface WireTokenLists {
  readonly tokens: string[]
  /** Null for the first token of a prompt */
  readonly token_logprobs: (number | null)[]
  /** Null if no alternatives were requested. An entry is null for the first token of a prompt. */
  readonly top_logprobs: (Record<string, number> | null)[] | null
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

  /**
   * Makes the lists of the next places of a prompt. `text`: the prompt, if the client sent a text: a start token in
   * front of it has no length.
   */
  ofPrompt(event: PromptScores, { reportsIds, text }: { readonly reportsIds: boolean; readonly text?: string }) {
    const lists: WireTokenLists = { ...this.of([]) }
    for (const { own, alternatives } of placesOf(event)) {
      const toToken = ({ id, bytes, logprob }: ScoredToken) => ({
        bytes,
        logprob,
        ...(reportsIds && id >= 0 && { id }),
      })
      const isFirst = Number.isNaN(own.logprob)
      const token = { ...toToken(own), alternatives: alternatives.slice(0, this.#alternatives).map(toToken) }
      const name = textOf(token)
      lists.tokens.push(name)
      lists.token_logprobs.push(isFirst ? null : logprobOf(own))
      lists.top_logprobs?.push(isFirst ? null : toTop(token))
      const isStart = isFirst && text !== undefined && !text.startsWith(new TextDecoder().decode(own.bytes))
      lists.text_offset.push(isStart ? this.#offset : this.#take(own))
    }
    return lists
  }

  #take({ bytes }: Named): number {
    const offset = this.#offset
    // In UTF-8, every byte of a code point except the first begins with the bits 10.
    for (const byte of bytes) if ((byte & 0xc0) !== 0x80) this.#offset++
    return offset
  }
}

interface Named {
  readonly bytes: ArrayLike<number> & Iterable<number>
  /** Named by this if it is requested. */
  readonly id?: number
}

type Scored = Named & Pick<TokenAlternative, 'logprob'>

/**
 * Returns the likeliest tokens, always including the chosen one. If two tokens have the same text, the likelier
 * counts.
 */
function toTop(token: Scored & { readonly alternatives: readonly Scored[] }): Record<string, number> {
  const top: Record<string, number> = {}
  for (const each of [...token.alternatives, token]) {
    const text = textOf(each)
    if (!Object.hasOwn(top, text)) Object.defineProperty(top, text, { value: logprobOf(each), enumerable: true })
  }
  return top
}

/** Returns a token's id if requested, else its text, or its bytes if it is a part of a character. */
function textOf({ bytes, id }: Named): string {
  if (id !== undefined) return `token_id:${id}`
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    const codes = Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
    return `bytes:${codes.join('')}` // not UTF-8 alone
  }
}

/**
 * Returns the log probability. JSON has no -Infinity, the value of excluded tokens: the contract's stand-in is -9999.
 */
function logprobOf({ logprob }: Pick<TokenAlternative, 'logprob'>): number {
  return Number.isFinite(logprob) ? logprob : -9999
}
