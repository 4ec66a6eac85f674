import type { ChatEvent } from '../../core/chat.ts'
import type { FinishEvent } from '../../core/usage.ts'
import { toUsage } from '../chat-completions/answer-fields.ts'
import type { AnswerCollector, AnswerContext, ChatDialect } from '../dialect.ts'
import { envelopeOf, finishReasonOf, tokenListsOf, type WireChoice } from './answer-fields.ts'
import { TextChunkEncoder } from './chunk-encoder.ts'
import { type CompletionCall, CompletionsBody, parseCompletion } from './parse-request.ts'
import type { WireTokenLists } from './token-lists.ts'

/** POST /completions. */
export const completionsDialect: ChatDialect<CompletionCall> = {
  endpoint: 'completions',
  kind: 'chat',
  body: CompletionsBody,
  parse: parseCompletion,
  encoder: (call, context) => new TextChunkEncoder(call, context),
  collector: (call, context) => new TextCompletionCollector(call, context),
}

export type TextCompletion = ReturnType<TextCompletionCollector['end']>

/** Gathers the events of one request into the answer that is sent when `stream` is off. */
class TextCompletionCollector implements AnswerCollector {
  readonly #envelope: ReturnType<typeof envelopeOf>
  readonly #tokenLists: ReturnType<typeof tokenListsOf>
  readonly #choices: WireChoice[]
  #finish: FinishEvent | undefined

  constructor(call: CompletionCall, context: AnswerContext) {
    this.#envelope = envelopeOf(call.model, context)
    this.#tokenLists = tokenListsOf(call)
    this.#choices = this.#tokenLists.map((lists, index) => ({
      text: '',
      index,
      logprobs: lists?.of([]) ?? null,
      finish_reason: null,
    }))
  }

  push(event: ChatEvent): void {
    if (event.type === 'finish') this.#finish = event
    if (event.type !== 'text-delta' && event.type !== 'choice-finish') return
    const choice = this.#choices[event.choice]
    if (choice === undefined) throw new Error(`an event for choice ${event.choice} was not asked for: this is a bug`)
    if (event.type === 'choice-finish') {
      this.#choices[event.choice] = { ...choice, finish_reason: finishReasonOf(event) }
      return
    }
    this.#choices[event.choice] = { ...choice, text: choice.text + event.text }
    const lists = this.#tokenLists[event.choice] ?? null
    if (lists !== null && choice.logprobs !== null) append(choice.logprobs, lists.of(event.logprobs ?? []))
  }

  /** Returns the whole answer. Call it after the last event. */
  end() {
    if (this.#finish === undefined) throw new Error('the events ended without a finish: this is a bug')
    return { ...this.#envelope, choices: this.#choices, usage: toUsage(this.#finish) }
  }
}

function append(lists: WireTokenLists, more: WireTokenLists): void {
  lists.tokens.push(...more.tokens)
  lists.token_logprobs.push(...more.token_logprobs)
  lists.top_logprobs?.push(...(more.top_logprobs ?? []))
  lists.text_offset.push(...more.text_offset)
}
