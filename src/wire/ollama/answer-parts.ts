import type { ChatEvent, FinishReason, TokenLogprob } from '../../core/chat.ts'
import { type JsonObject, objectIn } from '../../core/json.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { FinishEvent } from '../../core/usage.ts'
import type { AnswerContext } from '../dialect.ts'
import { AnswerTimes } from './answer-times.ts'

/** Next part of an answer. */
export interface AnswerPart {
  readonly content?: string
  readonly thinking?: string
  readonly call?: CallPart
  readonly logprobs?: readonly TokenLogprob[]
}

interface CallPart {
  readonly id: string
  readonly function: { readonly index: number; readonly name: string; readonly arguments: JsonObject }
}

/** Turns the events of one request into the parts of its lines, and counts for the last line. Tool calls are whole. */
export class AnswerParts {
  readonly #newId: AnswerContext['newId']
  readonly #times: AnswerTimes
  #call: { readonly name: string; argumentsText: string } | undefined
  #calls = 0
  #reason: FinishReason = 'stop'
  #finish: FinishEvent | undefined

  constructor(context: Pick<AnswerContext, 'newId' | 'elapsedMs'>) {
    this.#newId = context.newId
    this.#times = new AnswerTimes(context)
  }

  push(event: ChatEvent): AnswerPart[] {
    this.#times.saw(event)
    if (event.type === 'tool-call-delta') {
      if (this.#call === undefined) throw new Error('arguments came before their call: this is a bug')
      this.#call.argumentsText += event.argumentsText
      return []
    }
    return [...this.#endCall(), ...this.#partsOf(event)]
  }

  /** Returns the numbers of the last line and the finish reason. Call it after the last event. */
  end() {
    if (this.#finish === undefined) throw new Error('the events ended without a finish: this is a bug')
    const { usage } = this.#finish
    const ns = this.#times.nanoseconds()
    return {
      done: true,
      done_reason: this.#reason === 'length' ? 'length' : 'stop',
      total_duration: ns.total,
      load_duration: ns.load,
      prompt_eval_count: usage.promptTokens,
      prompt_eval_duration: ns.promptEval,
      eval_count: usage.completionTokens,
      eval_duration: ns.eval,
    }
  }

  #partsOf(event: Exclude<ChatEvent, { type: 'tool-call-delta' }>): AnswerPart[] {
    switch (event.type) {
      case 'start':
        return []
      case 'text-delta':
        return [{ content: event.text, ...(event.logprobs !== undefined && { logprobs: event.logprobs }) }]
      case 'reasoning-delta':
        return [{ thinking: event.text }]
      case 'tool-call-start':
        this.#call = { name: event.name, argumentsText: '' }
        return []
      case 'prompt-scores':
        return [] // only in answers that are not streamed
      case 'choice-finish':
        this.#reason = event.reason
        return []
      case 'finish':
        this.#finish = event
        return []
      case 'search-start':
      case 'search-finish':
        return [] // only other dialects offer searches
      default:
        return unreachable(event)
    }
  }

  /** Returns the finished call. A cut call has no valid arguments, so its text is shown instead. */
  #endCall(): AnswerPart[] {
    if (this.#call === undefined) return []
    const { name, argumentsText } = this.#call
    this.#call = undefined
    const given = argumentsText.trim() === '' ? {} : objectIn(argumentsText)
    if (given === undefined) return [{ content: argumentsText }]
    return [{ call: { id: this.#newId('call_'), function: { index: this.#calls++, name, arguments: given } } }]
  }
}
