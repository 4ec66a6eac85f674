import { CompletionCollector } from '../chat-completions/completion.ts'
import type { ChatCompletionCall } from '../chat-completions/parse-request.ts'
import type { ChatDialect } from '../dialect.ts'
import { FimChunkEncoder } from './chunk-encoder.ts'
import { FimBody, parseFim } from './parse-request.ts'

/** POST /fim/completions of Mistral: the text missing between two texts, in the form of a chat answer. */
export const fimCompletionsDialect: ChatDialect<ChatCompletionCall> = {
  endpoint: 'fim/completions',
  kind: 'chat',
  body: FimBody,
  parse: parseFim,
  encoder: (call, context) => new FimChunkEncoder(call, context),
  collector: (call, context) => new CompletionCollector(call, context),
}
