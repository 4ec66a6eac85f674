import type { ChatEvent, PromptScores } from '../../core/chat.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { FinishEvent } from '../../core/usage.ts'
import { decodeCustomInput } from '../chat/decode-custom-input.ts'
import { promptLogprobs } from '../chat/prompt-scores.ts'
import { toLogprobs, type WireLogprob } from '../chat/to-logprobs.ts'
import type { AnswerContext } from '../dialect.ts'
import {
  envelopeOf,
  type ReasoningFields,
  toFinishReason,
  toReasoningFields,
  toStopReason,
  toUsage,
  type WireFinishReason,
} from './answer-fields.ts'
import type { ChatCompletionCall } from './parse-request.ts'

export type ChatCompletion = ReturnType<ReturnType<typeof completionCollector>['end']>

interface Choice {
  text: string
  reasoning: string
  readonly calls: { readonly id: string; readonly name: string; argumentsText: string }[]
  readonly logprobs: WireLogprob[]
  readonly promptScores: PromptScores[]
  finishReason: WireFinishReason
  stopString: string | undefined
}

/** Gathers the events of one request into the answer for clients that do not stream. */
export function completionCollector(call: ChatCompletionCall, context: AnswerContext) {
  const { request, hidesReasoning } = call
  const repeatsReasoning = call.hasReasoningDetails || context.repeatsReasoning
  const envelope = envelopeOf('chat.completion', call.model, context)
  const choices = Array.from(
    { length: request.choices },
    (): Choice => ({
      text: '',
      reasoning: '',
      calls: [],
      logprobs: [],
      promptScores: [],
      finishReason: 'stop',
      stopString: undefined,
    }),
  )
  let finish: FinishEvent | undefined
  const choiceOf = (index: number) => {
    const choice = choices[index]
    if (choice === undefined) throw new Error(`an event for choice ${index} was not asked for: this is a bug`)
    return choice
  }
  return {
    push(event: ChatEvent): void {
      if (event.type === 'start') return
      if (event.type === 'finish') {
        finish = event
        return
      }
      const choice = choiceOf(event.choice)
      switch (event.type) {
        case 'text-delta':
          choice.text += event.text
          if (event.logprobs !== undefined) choice.logprobs.push(...toLogprobs(event.logprobs).content)
          return
        case 'reasoning-delta':
          // Log probabilities of thinking are left out: clients join the bytes of tokens and expect the content.
          if (!hidesReasoning) choice.reasoning += event.text
          return
        case 'tool-call-start':
          choice.calls[event.index] = { id: context.newId('call_'), name: event.name, argumentsText: '' }
          return
        case 'tool-call-delta': {
          const open = choice.calls[event.index]
          if (open === undefined) throw new Error(`arguments of call ${event.index} before its start: this is a bug`)
          open.argumentsText += event.argumentsText
          return
        }
        case 'prompt-scores':
          choice.promptScores.push(event)
          return
        case 'choice-finish':
          choice.finishReason = toFinishReason(event.reason, call)
          choice.stopString = event.stopString
          return
        case 'search-start':
        case 'search-finish':
          return // only other dialects offer searches
        default:
          unreachable(event)
      }
    },
    end() {
      if (finish === undefined) throw new Error('the events ended without a finish: this is a bug')
      const { promptScores } = request
      const scoresOf = (choice: Choice | undefined) =>
        promptScores === undefined || choice === undefined
          ? {}
          : { prompt_logprobs: promptLogprobs(choice.promptScores, promptScores) }
      return {
        ...envelope,
        choices: choices.map((choice, index) => ({
          index,
          message: toMessage(choice, call, repeatsReasoning),
          logprobs: request.topLogprobs === undefined ? null : { content: choice.logprobs, refusal: null },
          finish_reason: choice.finishReason,
          ...toStopReason(choice.stopString),
          ...scoresOf(choice),
        })),
        // vLLM has them here in chats, and in the choice in completions.
        ...scoresOf(choices[0]),
        usage: toUsage(finish),
      }
    },
  }
}

interface WireMessage extends Partial<ReasoningFields> {
  readonly role: 'assistant'
  readonly content: string | null
  readonly refusal: null
  readonly tool_calls?: readonly WireToolCall[]
  readonly function_call?: WireFunction
}

interface WireFunction {
  readonly name: string
  readonly arguments: string
}

type WireToolCall =
  | { readonly id: string; readonly type: 'function'; readonly function: WireFunction }
  | { readonly id: string; readonly type: 'custom'; readonly custom: { readonly name: string; readonly input: string } }

function toMessage({ text, reasoning, calls }: Choice, call: ChatCompletionCall, isRepeated: boolean): WireMessage {
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : toReasoningFields(reasoning, isRepeated)),
    ...callFields(calls, call),
  }
}

function callFields(
  calls: Choice['calls'],
  { customTools, hasFunctions }: ChatCompletionCall,
): Pick<WireMessage, 'tool_calls' | 'function_call'> {
  const [first] = calls
  if (first === undefined) return {}
  if (hasFunctions) return { function_call: toFunction(first) }
  return {
    tool_calls: calls.map((call) => {
      const { id, name, argumentsText } = call
      return customTools.has(name)
        ? { id, type: 'custom', custom: { name, input: decodeCustomInput(argumentsText) } }
        : { id, type: 'function', function: toFunction(call) }
    }),
  }
}

/** A call without arguments gets an empty object, because agents parse the text. */
function toFunction({ name, argumentsText }: Choice['calls'][number]): WireFunction {
  return { name, arguments: argumentsText === '' ? '{}' : argumentsText }
}
