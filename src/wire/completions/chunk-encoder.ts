import type { ChatEvent } from '../../core/chat.ts'
import { ChunkUsage } from '../chat-completions/chunk-usage.ts'
import { DataEncoder } from '../chat-completions/data-encoder.ts'
import type { AnswerContext } from '../dialect.ts'
import { dataFrame, keepAliveFrame } from '../sse-frame.ts'
import { envelopeOf, finishReasonOf, tokenListsOf, type WireChoice } from './answer-fields.ts'
import type { CompletionCall } from './parse-request.ts'

/**
 * Turns the events of one request into the frames of a completion stream: text per choice and its finish reason; then
 * the usage if requested; then `[DONE]`. Synchronous; keeps no text.
 */
export class TextChunkEncoder extends DataEncoder {
  /** Fields common to every chunk. */
  readonly #base: object
  readonly #usage: ChunkUsage
  readonly #tokenLists: ReturnType<typeof tokenListsOf>

  constructor(call: CompletionCall, context: AnswerContext) {
    super(context)
    this.#base = envelopeOf(call.model, context)
    this.#usage = new ChunkUsage(call)
    this.#tokenLists = tokenListsOf(call)
  }

  push(event: ChatEvent): string[] {
    this.#usage.see(event)
    switch (event.type) {
      case 'start':
        // Sends the answer's head now.
        return [keepAliveFrame]
      case 'text-delta': {
        const { choice: index, text, logprobs = [] } = event
        const lists = this.#tokenLists[index]
        return [this.#chunk({ text, index, logprobs: lists?.of(logprobs) ?? null, finish_reason: null })]
      }
      case 'choice-finish':
        return [
          this.#chunk({
            text: '',
            index: event.choice,
            logprobs: null,
            finish_reason: finishReasonOf(event),
            ...this.#usage.limitReason(event),
          }),
        ]
      case 'finish': {
        const usage = this.#usage.atEnd(event)
        return usage === undefined ? [] : [dataFrame({ ...this.#base, choices: [], usage })]
      }
      default:
        return [] // answers to prompts neither think nor call
    }
  }

  #chunk(choice: WireChoice): string {
    return dataFrame({ ...this.#base, choices: [choice], ...this.#usage.fields })
  }
}
