import type { ChatEvent, PromptScores } from '../../core/chat.ts'
import type { FinishEvent } from '../../core/usage.ts'
import { promptLogprobs } from '../chat/prompt-scores.ts'
import { toUsage } from '../chat-completions/answer-fields.ts'
import { ChunkUsage } from '../chat-completions/chunk-usage.ts'
import { dataEncoder } from '../data-encoder.ts'
import type { AnswerContext, ChatDialect, StreamEncoder } from '../dialect.ts'
import { dataFrame, keepAliveFrame } from '../sse-frame.ts'
import { envelopeOf, finishReasonOf, tokenListsOf, type WireChoice } from './answer-fields.ts'
import { type CompletionCall, CompletionsBody, parseCompletion } from './parse-request.ts'
import type { WireTokenLists } from './token-lists.ts'

/** POST /completions. */
export const completionsDialect: ChatDialect<CompletionCall> = {
  endpoint: 'completions',
  kind: 'chat',
  body: CompletionsBody,
  parse: parseCompletion,
  encoder: textEncoder,
  collector: textCollector,
}

export type TextCompletion = ReturnType<ReturnType<typeof textCollector>['end']>

/** Gathers the events of one request into the answer for clients that do not stream. */
function textCollector(call: CompletionCall, context: AnswerContext) {
  const envelope = envelopeOf(call.model, context)
  const tokenLists = tokenListsOf(call)
  const choices = tokenLists.map(
    (lists, index): WireChoice => ({ text: '', index, logprobs: lists?.of([]) ?? null, finish_reason: null }),
  )
  const scores = choices.map((): PromptScores[] => [])
  const { promptLogprobs: most, request } = call
  const echoesScores = request.echoesPrompt === true && request.topLogprobs !== undefined
  let finish: FinishEvent | undefined
  return {
    push(event: ChatEvent): void {
      if (event.type === 'finish') finish = event
      if (event.type !== 'text-delta' && event.type !== 'choice-finish' && event.type !== 'prompt-scores') return
      const choice = choices[event.choice]
      if (choice === undefined) throw new Error(`an event for choice ${event.choice} was not asked for: this is a bug`)
      if (event.type === 'prompt-scores') {
        if (most !== undefined) scores[event.choice]?.push(event)
        const lists = echoesScores ? tokenLists[event.choice] : undefined
        const prompt = request.prompts?.[event.choice]
        const told = {
          reportsIds: request.reportsTokenIds === true,
          ...(prompt?.kind === 'text' && { text: prompt.text }),
        }
        if (lists && choice.logprobs !== null) append(choice.logprobs, lists.ofPrompt(event, told))
        return
      }
      if (event.type === 'choice-finish') {
        choices[event.choice] = { ...choice, finish_reason: finishReasonOf(event) }
        const rest = tokenLists[event.choice]?.of(event.logprobs ?? [])
        if (rest !== undefined && choice.logprobs !== null) append(choice.logprobs, rest)
        return
      }
      choices[event.choice] = { ...choice, text: choice.text + event.text }
      const lists = tokenLists[event.choice] ?? null
      if (lists !== null && choice.logprobs !== null) append(choice.logprobs, lists.of(event.logprobs ?? []))
    },
    end() {
      if (finish === undefined) throw new Error('the events ended without a finish: this is a bug')
      const told = choices.map((choice, index) => {
        return most === undefined ? choice : { ...choice, prompt_logprobs: promptLogprobs(scores[index] ?? [], most) }
      })
      return { ...envelope, choices: told, usage: toUsage(finish) }
    },
  }
}

/**
 * Returns the encoder of text per choice and its finish reason, then the usage if requested. Synchronous; keeps no
 * text.
 */
function textEncoder(call: CompletionCall, context: AnswerContext): StreamEncoder {
  const base = envelopeOf(call.model, context)
  const usage = new ChunkUsage(call)
  const tokenLists = tokenListsOf(call)
  const chunk = (choice: WireChoice) => [dataFrame({ ...base, choices: [choice], ...usage.fields })]
  return dataEncoder(context, (event: ChatEvent) => {
    usage.see(event)
    switch (event.type) {
      case 'start':
        // The keep-alive sends the answer's head now.
        return [keepAliveFrame]
      case 'text-delta': {
        const { choice: index, text, logprobs = [] } = event
        return chunk({ text, index, logprobs: tokenLists[index]?.of(logprobs) ?? null, finish_reason: null })
      }
      case 'choice-finish':
        return chunk({
          text: '',
          index: event.choice,
          logprobs: null,
          finish_reason: finishReasonOf(event),
          ...usage.limitReason(event),
        })
      case 'finish': {
        const counts = usage.atEnd(event)
        return counts === undefined ? [] : [dataFrame({ ...base, choices: [], usage: counts })]
      }
      default:
        return [] // answers to prompts neither think nor call
    }
  })
}

function append(lists: WireTokenLists, more: WireTokenLists): void {
  lists.tokens.push(...more.tokens)
  lists.token_logprobs.push(...more.token_logprobs)
  lists.top_logprobs?.push(...(more.top_logprobs ?? []))
  lists.text_offset.push(...more.text_offset)
}
