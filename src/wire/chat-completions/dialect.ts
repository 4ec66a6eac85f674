import type { ChatDialect } from '../dialect.ts'
import { ChunkEncoder } from './chunk-encoder.ts'
import { CompletionCollector } from './completion.ts'
import { ChatBody, type ChatCompletionCall, parseChatCompletion } from './parse-request.ts'

/** POST /chat/completions. */
export const chatCompletionsDialect: ChatDialect<ChatCompletionCall> = {
  endpoint: 'chat/completions',
  kind: 'chat',
  body: ChatBody,
  parse: parseChatCompletion,
  encoder: (call, context) => new ChunkEncoder(call, context),
  collector: (call, context) => new CompletionCollector(call, context),
}
