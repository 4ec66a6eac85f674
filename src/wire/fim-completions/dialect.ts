import { Type } from '@sinclair/typebox'
import type { ChatEvent } from '../../core/chat.ts'
import { parseSampling, samplingFields } from '../chat/parse-sampling.ts'
import { stopField, stopStrings } from '../chat/stop-strings.ts'
import { limitOf, tokenLimit } from '../chat/token-limit.ts'
import { envelopeOf, finishReasons, toUsage, type WireFinishReason } from '../chat-completions/answer-fields.ts'
import { completionCollector } from '../chat-completions/completion.ts'
import type { ChatCompletionCall } from '../chat-completions/parse-request.ts'
import { check, modelField, optionalFlag, optionalText, presentFields } from '../check.ts'
import { parsePrompts } from '../completions/parse-prompt.ts'
import { rawRequest } from '../completions/parse-request.ts'
import { dataEncoder } from '../data-encoder.ts'
import type { AnswerContext, ChatDialect, StreamEncoder } from '../dialect.ts'
import { dataFrame, keepAliveFrame } from '../sse-frame.ts'

const { temperature, top_p, seed } = samplingFields

export const FimBody = Type.Object({
  ...modelField,
  prompt: Type.String({ description: 'the text before the gap', examples: ['def add(a, b):'] }),
  suffix: optionalText,
  max_tokens: Type.Optional(tokenLimit),
  temperature,
  top_p,
  random_seed: seed,
  stop: stopField,
  stream: optionalFlag,
})

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
function parseFim(body: unknown): ChatCompletionCall {
  const fim = check(FimBody, presentFields(body))
  const { random_seed: seed, suffix = '' } = fim
  return {
    model: fim.model,
    stream: fim.stream ?? false,
    includeUsage: true,
    customTools: new Set(),
    hidesReasoning: false,
    hasReasoningDetails: false,
    hasFunctions: false,
    request: {
      ...rawRequest(parsePrompts(fim.prompt, suffix)),
      sampling: parseSampling({ ...fim, ...(seed !== undefined && { seed }) }),
      stop: stopStrings(fim.stop),
      maxTokens: limitOf(fim.max_tokens),
      choices: 1,
    },
  }
}

/** POST /fim/completions of Mistral: the text missing between two texts, in the form of a chat answer. */
export const fimCompletionsDialect: ChatDialect<ChatCompletionCall> = {
  endpoint: 'fim/completions',
  kind: 'chat',
  body: FimBody,
  parse: parseFim,
  encoder: fimEncoder,
  collector: completionCollector,
}

/**
 * Returns the encoder of a chat's stream with one choice, whose last chunk has the usage too: clients of this dialect
 * expect a choice in every chunk.
 */
function fimEncoder(call: ChatCompletionCall, context: AnswerContext): StreamEncoder {
  const base = envelopeOf('chat.completion.chunk', call.model, context)
  let reason: WireFinishReason = 'stop'
  const chunk = (content: string, finishReason: WireFinishReason | null, more: object = {}) => {
    const choice = { index: 0, delta: { role: 'assistant', content }, finish_reason: finishReason }
    return [dataFrame({ ...base, choices: [choice], ...more })]
  }
  return dataEncoder(context, (event: ChatEvent) => {
    switch (event.type) {
      case 'start':
        return [keepAliveFrame]
      case 'text-delta':
        return chunk(event.text, null)
      case 'choice-finish':
        reason = finishReasons[event.reason]
        return []
      case 'finish':
        return chunk('', reason, { usage: toUsage(event) })
      default:
        return [] // answers to prompts neither think nor call
    }
  })
}
