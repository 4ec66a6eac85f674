import type { AnswerContext, ChatDialect } from '../dialect.ts'
import type { AnswerOptions } from './answer-fields.ts'
import { ChunkEncoder } from './chunk-encoder.ts'
import { CompletionCollector } from './completion.ts'
import { ChatBody, type ChatCompletionCall, parseChatCompletion } from './parse-request.ts'

/** POST /chat/completions. */
export const chatCompletionsDialect: ChatDialect<ChatCompletionCall> = {
  endpoint: 'chat/completions',
  kind: 'chat',
  body: ChatBody,
  parse: parseChatCompletion,
  encoder: (call, context) => new ChunkEncoder(toOptions(call, context)),
  collector: (call, context) => new CompletionCollector(toOptions(call, context)),
}

function toOptions(call: ChatCompletionCall, context: AnswerContext): AnswerOptions {
  const { includeUsage, customTools, hidesReasoning, model, request } = call
  const { newId, created, fingerprint, docsUrl } = context
  return {
    envelope: { id: newId('chatcmpl-'), created, model, fingerprint },
    choices: request.choices,
    includeUsage,
    logprobs: request.topLogprobs !== undefined,
    customTools,
    hidesReasoning,
    newId,
    docsUrl,
  }
}
