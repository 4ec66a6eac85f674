import type { ChatEvent } from '../../core/chat.ts'
import { unreachable } from '../../core/unreachable.ts'
import { decodeCustomInput } from '../chat/decode-custom-input.ts'
import { toLogprobs, type WireLogprob } from '../chat/to-logprobs.ts'
import type { AnswerCollector } from '../dialect.ts'
import { type AnswerOptions, toFinishReason, toUsage, type WireFinishReason, type WireUsage } from './answer-fields.ts'

export type ChatCompletion = ReturnType<CompletionCollector['end']>

interface Choice {
  text: string
  reasoning: string
  readonly calls: { readonly id: string; readonly name: string; argumentsText: string }[]
  readonly logprobs: WireLogprob[]
  finishReason: WireFinishReason | undefined
}

/** Gathers the events of one request into the answer that is sent when `stream` is off. */
export class CompletionCollector implements AnswerCollector {
  readonly #options: Omit<AnswerOptions, 'includeUsage' | 'docsUrl'>
  readonly #choices: readonly Choice[]
  #usage: WireUsage | undefined

  constructor(options: Omit<AnswerOptions, 'includeUsage' | 'docsUrl'>) {
    this.#options = options
    this.#choices = Array.from({ length: options.choices }, () => ({
      text: '',
      reasoning: '',
      calls: [],
      logprobs: [],
      finishReason: undefined,
    }))
  }

  push(event: ChatEvent): void {
    switch (event.type) {
      case 'start':
        return
      case 'text-delta': {
        const choice = this.#choice(event.choice)
        choice.text += event.text
        if (event.logprobs !== undefined) choice.logprobs.push(...toLogprobs(event.logprobs).content)
        return
      }
      case 'reasoning-delta':
        // Log probabilities of thinking are not content's: with them, joined bytes would not be the answer.
        if (!this.#options.hidesReasoning) this.#choice(event.choice).reasoning += event.text
        return
      case 'tool-call-start':
        this.#choice(event.choice).calls[event.index] = {
          id: this.#options.newId('call_'),
          name: event.name,
          argumentsText: '',
        }
        return
      case 'tool-call-delta': {
        const call = this.#choice(event.choice).calls[event.index]
        if (call === undefined) throw new Error(`arguments of call ${event.index} before its start: this is a bug`)
        call.argumentsText += event.argumentsText
        return
      }
      case 'choice-finish':
        this.#choice(event.choice).finishReason = toFinishReason(event.reason)
        return
      case 'finish':
        this.#usage = toUsage(event.usage)
        return
      default:
        unreachable(event)
    }
  }

  /** The whole answer; call it after the last event. */
  end() {
    if (this.#usage === undefined) throw new Error('the events ended without a finish: this is a bug')
    const { envelope, logprobs, customTools } = this.#options
    return {
      id: envelope.id,
      object: 'chat.completion',
      created: envelope.created,
      model: envelope.model,
      system_fingerprint: envelope.fingerprint,
      choices: this.#choices.map((choice, index) => ({
        index,
        message: toMessage(choice, customTools),
        logprobs: logprobs ? { content: choice.logprobs, refusal: null } : null,
        finish_reason: choice.finishReason ?? 'stop',
      })),
      usage: this.#usage,
    } as const
  }

  #choice(index: number): Choice {
    const choice = this.#choices[index]
    if (choice === undefined) throw new Error(`an event for choice ${index} was not asked for: this is a bug`)
    return choice
  }
}

function toMessage(choice: Choice, customTools: ReadonlySet<string>) {
  const calls = choice.calls.map(({ id, name, argumentsText }) => {
    if (customTools.has(name))
      return { id, type: 'custom', custom: { name, input: decodeCustomInput(argumentsText) } } as const
    // Agents parse this text: a call without arguments is an empty object, not an empty text.
    return { id, type: 'function', function: { name, arguments: argumentsText === '' ? '{}' : argumentsText } } as const
  })
  return {
    role: 'assistant',
    content: choice.text === '' && calls.length > 0 ? null : choice.text,
    refusal: null,
    ...(choice.reasoning === '' ? {} : { reasoning_content: choice.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}
