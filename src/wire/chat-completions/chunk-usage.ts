import type { ChatEvent } from '../../core/chat.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { ChatCall } from '../dialect.ts'
import { toUsage } from './answer-fields.ts'

type ChoiceFinish = Extract<ChatEvent, { readonly type: 'choice-finish' }>

/**
 * The `usage` of a stream's chunks: none; or null until the last one; or, for clients that say they know vLLM's stream, what has been
 * used so far.
 */
export class ChunkUsage {
  readonly #isWanted: boolean
  readonly #counts: boolean
  #prompt: { readonly promptTokens: number; readonly cachedTokens: number } | undefined
  /** By the choice. */
  readonly #completionTokens: number[] = []
  readonly #reasoningTokens: number[] = []

  constructor({ includeUsage, request }: ChatCall & { readonly includeUsage: boolean }) {
    this.#isWanted = includeUsage
    this.#counts = request.countsTokens === true
  }

  /** Before the chunks of the event are made. */
  see(event: ChatEvent): void {
    if (event.type === 'start') this.#prompt = event
    if (!('choice' in event) || event.tokens === undefined) return
    this.#completionTokens[event.choice] = event.tokens.completionTokens
    this.#reasoningTokens[event.choice] = event.tokens.reasoningTokens
  }

  /** What a chunk has besides. */
  get fields(): { readonly usage?: ReturnType<typeof toUsage> | null } {
    if (!this.#isWanted) return {}
    if (!this.#counts || this.#prompt === undefined) return { usage: null }
    const { promptTokens, cachedTokens } = this.#prompt
    const completionTokens = sum(this.#completionTokens)
    const reasoningTokens = sum(this.#reasoningTokens)
    const usage = { ...nothingConsumed, promptTokens, cachedTokens, completionTokens, reasoningTokens }
    return { usage: toUsage({ type: 'finish', usage }) }
  }

  /** Those clients are told that a choice only repeated itself, in vLLM's words. */
  limitReason({ isRepetition }: ChoiceFinish): { readonly stop_reason?: string } {
    return this.#counts && isRepetition === true ? { stop_reason: 'repetition_detected' } : {}
  }

  /** That of the whole request, for the last chunk; undefined: it is not wanted. */
  atEnd(event: Parameters<typeof toUsage>[0]): ReturnType<typeof toUsage> | undefined {
    return this.#isWanted ? toUsage(event) : undefined
  }
}

/** Choices that have told nothing are holes. */
function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
