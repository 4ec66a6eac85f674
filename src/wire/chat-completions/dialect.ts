import type { AnswerContext, ChatDialect } from '../dialect.ts'
import type { Envelope } from './answer-fields.ts'
import { ChunkEncoder } from './chunk-encoder.ts'
import { CompletionCollector } from './completion.ts'
import { ChatBody, type ChatCompletionCall, parseChatCompletion } from './parse-request.ts'

/** POST /chat/completions. */
export const chatCompletionsDialect: ChatDialect<ChatCompletionCall> = {
  endpoint: 'chat/completions',
  kind: 'chat',
  body: ChatBody,
  parse: parseChatCompletion,
  encoder: (call, context) =>
    new ChunkEncoder({
      envelope: toEnvelope(call, context),
      choices: call.request.choices,
      includeUsage: call.includeUsage,
      customTools: call.customTools,
      hidesReasoning: call.hidesReasoning,
      newId: context.newId,
      docsUrl: context.docsUrl,
    }),
  collector: (call, context) =>
    new CompletionCollector({
      envelope: toEnvelope(call, context),
      choices: call.request.choices,
      logprobs: call.request.topLogprobs !== undefined,
      customTools: call.customTools,
      hidesReasoning: call.hidesReasoning,
      newId: context.newId,
    }),
}

function toEnvelope(call: ChatCompletionCall, context: AnswerContext): Envelope {
  return {
    id: context.newId('chatcmpl-'),
    created: context.created,
    model: call.model,
    fingerprint: context.fingerprint,
  }
}
