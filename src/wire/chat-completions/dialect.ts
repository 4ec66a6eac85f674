import type { ChatDialect } from '../dialect.ts'
import { chunkEncoder } from './chunk-encoder.ts'
import { completionCollector } from './completion.ts'
import { ChatBody, type ChatCompletionCall, parseChatCompletion } from './parse-request.ts'

/** POST /chat/completions. */
export const chatCompletionsDialect: ChatDialect<ChatCompletionCall> = {
  endpoint: 'chat/completions',
  kind: 'chat',
  body: ChatBody,
  parse: parseChatCompletion,
  encoder: chunkEncoder,
  collector: completionCollector,
}
