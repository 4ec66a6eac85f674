import type { ChatEvent } from '../../core/chat.ts'
import { envelopeOf, finishReasons, toUsage, type WireFinishReason } from '../chat-completions/answer-fields.ts'
import { DataEncoder } from '../chat-completions/data-encoder.ts'
import type { ChatCompletionCall } from '../chat-completions/parse-request.ts'
import type { AnswerContext } from '../dialect.ts'
import { dataFrame, keepAliveFrame } from '../sse-frame.ts'

/** A chat's stream with one choice, whose last chunk tells the usage too: this dialect's clients read a choice in every chunk. */
export class FimChunkEncoder extends DataEncoder {
  readonly #base: object
  #finishReason: WireFinishReason = 'stop'

  constructor(call: ChatCompletionCall, context: AnswerContext) {
    super(context)
    this.#base = envelopeOf('chat.completion.chunk', call.model, context)
  }

  push(event: ChatEvent): string[] {
    switch (event.type) {
      case 'start':
        return [keepAliveFrame]
      case 'text-delta':
        return [this.#chunk(event.text, null)]
      case 'choice-finish':
        this.#finishReason = finishReasons[event.reason]
        return []
      case 'finish':
        return [this.#chunk('', this.#finishReason, { usage: toUsage(event) })]
      default:
        return [] // answers to prompts neither think nor call
    }
  }

  #chunk(content: string, finishReason: WireFinishReason | null, more: object = {}): string {
    const choice = { index: 0, delta: { role: 'assistant', content }, finish_reason: finishReason }
    return dataFrame({ ...this.#base, choices: [choice], ...more })
  }
}
