import type { ChatEvent } from '../../core/chat.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { ChatCall } from '../dialect.ts'
import { toUsage } from './answer-fields.ts'

type ChoiceFinish = Extract<ChatEvent, { readonly type: 'choice-finish' }>

/**
 * Field `usage` of a stream's chunks: absent, null until the last chunk, or running counts for clients that declare
 * support for vLLM's stream.
 */
export class ChunkUsage {
  readonly #isWanted: boolean
  readonly #counts: boolean
  #prompt: { readonly promptTokens: number; readonly cachedTokens: number } | undefined
  /** Completion tokens by choice. */
  readonly #completionTokens: number[] = []
  readonly #reasoningTokens: number[] = []

  constructor({ includeUsage, request }: ChatCall & { readonly includeUsage: boolean }) {
    this.#isWanted = includeUsage
    this.#counts = request.countsTokens === true
  }

  /** Records the counts of an event. Call it before encoding the event's chunks. */
  see(event: ChatEvent): void {
    if (event.type === 'start') this.#prompt = event
    if (!('choice' in event) || event.tokens === undefined) return
    this.#completionTokens[event.choice] = event.tokens.completionTokens
    this.#reasoningTokens[event.choice] = event.tokens.reasoningTokens
  }

  /** Extra fields of a chunk. */
  get fields(): { readonly usage?: ReturnType<typeof toUsage> | null } {
    if (!this.#isWanted) return {}
    if (!this.#counts || this.#prompt === undefined) return { usage: null }
    const { promptTokens, cachedTokens } = this.#prompt
    const completionTokens = sum(this.#completionTokens)
    const reasoningTokens = sum(this.#reasoningTokens)
    const usage = { ...nothingConsumed, promptTokens, cachedTokens, completionTokens, reasoningTokens }
    return { usage: toUsage({ type: 'finish', usage }) }
  }

  /**
   * Returns vLLM's field that says that a choice was stopped for repeating itself, for clients that read running
   * counts.
   */
  limitReason({ isRepetition }: ChoiceFinish): { readonly stop_reason?: string } {
    return this.#counts && isRepetition === true ? { stop_reason: 'repetition_detected' } : {}
  }

  /** Returns the usage of the whole request for the last chunk; undefined if not requested. */
  atEnd(event: Parameters<typeof toUsage>[0]): ReturnType<typeof toUsage> | undefined {
    return this.#isWanted ? toUsage(event) : undefined
  }
}

/** Returns the sum. Choices without output are holes. */
function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
