import type { ChatEvent, TokenLogprob } from '../../core/chat.ts'
import { unreachable } from '../../core/unreachable.ts'
import { toLogprobs } from '../chat/to-logprobs.ts'
import { dataEncoder } from '../data-encoder.ts'
import type { AnswerContext, StreamEncoder } from '../dialect.ts'
import { dataFrame, keepAliveFrame } from '../sse-frame.ts'
import {
  envelopeOf,
  type ReasoningFields,
  toFinishReason,
  toReasoningFields,
  toStopReason,
  type WireFinishReason,
} from './answer-fields.ts'
import { ChunkUsage } from './chunk-usage.ts'
import { type OpenCall, openCustomCall, openFunctionCall, openToolCall } from './open-call.ts'
import type { ChatCompletionCall } from './parse-request.ts'

interface WireDelta extends Partial<ReasoningFields> {
  readonly role?: 'assistant'
  readonly content?: string | null
  readonly tool_calls?: readonly [object]
  readonly function_call?: object
}

interface WireEnd {
  readonly finish_reason: WireFinishReason | null
  readonly stop_reason?: string
}

/**
 * Turns the events of one request into the frames of a chat completion stream: deltas per choice, the first of which
 * names the role, and a finish chunk; then the usage chunk if requested; then `[DONE]`. Synchronous; keeps no text.
 */
export function chunkEncoder(call: ChatCompletionCall, context: AnswerContext): StreamEncoder {
  const chunks = new Chunks(call, context)
  return dataEncoder(context, (event) => chunks.of(event))
}

class Chunks {
  readonly #call: ChatCompletionCall
  readonly #newId: AnswerContext['newId']
  /** Fields common to every chunk. */
  readonly #base: object
  readonly #repeatsReasoning: boolean
  readonly #usage: ChunkUsage
  /** Open tool call by choice. */
  readonly #calls: (OpenCall | undefined)[] = []
  /** Choices whose role has been sent. */
  readonly #begun = new Set<number>()

  constructor(call: ChatCompletionCall, context: AnswerContext) {
    this.#call = call
    this.#newId = context.newId
    this.#base = envelopeOf('chat.completion.chunk', call.model, context)
    this.#repeatsReasoning = call.hasReasoningDetails || context.repeatsReasoning
    this.#usage = new ChunkUsage(call)
  }

  of(event: ChatEvent): string[] {
    this.#usage.see(event)
    switch (event.type) {
      case 'start':
        // The keep-alive sends the answer's head now, while its first kind of output is unknown.
        return [keepAliveFrame]
      case 'text-delta':
        return [...this.#begin(event.choice), this.#chunk(event.choice, { content: event.text }, event.logprobs)]
      case 'reasoning-delta':
        if (event.text === '' || this.#call.hidesReasoning) return []
        return [
          this.#chunk(event.choice, {
            ...this.#roleWithoutText(event.choice),
            ...toReasoningFields(event.text, this.#repeatsReasoning),
          }),
        ]
      case 'tool-call-start': {
        const before = this.#endCall(event.choice)
        const call = this.#open(event)
        this.#calls[event.choice] = call
        return [...before, this.#callChunk(event.choice, call.start)]
      }
      case 'tool-call-delta':
        return this.#callChunks(event.choice, this.#calls[event.choice]?.add(event.argumentsText))
      case 'prompt-scores':
        return [] // only in answers that are not streamed
      case 'choice-finish':
        return [
          ...this.#endCall(event.choice),
          ...this.#begin(event.choice),
          this.#chunk(event.choice, {}, undefined, {
            finish_reason: toFinishReason(event.reason, this.#call),
            ...toStopReason(event.stopString),
            ...this.#usage.limitReason(event),
          }),
        ]
      case 'finish': {
        const usage = this.#usage.atEnd(event)
        return usage === undefined ? [] : [dataFrame({ ...this.#base, choices: [], usage })]
      }
      case 'search-start':
      case 'search-finish':
        return [] // only other dialects offer searches
      default:
        return unreachable(event)
    }
  }

  #open({ index, name }: { readonly index: number; readonly name: string }): OpenCall {
    const { hasFunctions, customTools } = this.#call
    if (hasFunctions) return openFunctionCall(name)
    const open = customTools.has(name) ? openCustomCall : openToolCall
    return open(index, this.#newId('call_'), name)
  }

  #endCall(choice: number): string[] {
    const call = this.#calls[choice]
    this.#calls[choice] = undefined
    return this.#callChunks(choice, call?.end())
  }

  #callChunks(choice: number, delta: object | undefined): string[] {
    return delta === undefined ? [] : [this.#callChunk(choice, delta)]
  }

  #callChunk(choice: number, delta: object): string {
    return this.#chunk(choice, { ...this.#roleWithoutText(choice), ...delta })
  }

  /** Returns a chunk that names the role, in front of text. */
  #begin(choice: number): string[] {
    if (this.#begun.has(choice)) return []
    this.#begun.add(choice)
    return [this.#chunk(choice, { role: 'assistant', content: '' })]
  }

  /**
   * Returns extra fields of a choice's first delta. Clients fail if it names no role, and take empty text in front of a
   * call for an answer.
   */
  #roleWithoutText(choice: number): Pick<WireDelta, 'role' | 'content'> {
    if (this.#begun.has(choice)) return {}
    this.#begun.add(choice)
    return { role: 'assistant', content: null }
  }

  #chunk(
    index: number,
    delta: WireDelta,
    tokens?: readonly TokenLogprob[],
    end: WireEnd = { finish_reason: null },
  ): string {
    const logprobs = tokens === undefined ? null : toLogprobs(tokens)
    return dataFrame({
      ...this.#base,
      choices: [{ index, delta, logprobs, ...end }],
      ...this.#usage.fields,
    })
  }
}
