import { CompletionCollector } from '../chat-completions/completion.ts'
import type { ChatCompletionCall } from '../chat-completions/parse-request.ts'
import type { ChatDialect } from '../dialect.ts'
import { FimChunkEncoder } from './chunk-encoder.ts'
import { FimBody, parseFim } from './parse-request.ts'

/** POST /fim/completions, as Mistral has it: what is missing between two texts, told like an answer of a chat. */
export const fimCompletionsDialect: ChatDialect<ChatCompletionCall> = {
  endpoint: 'fim/completions',
  kind: 'chat',
  body: FimBody,
  parse: parseFim,
  encoder: (call, context) => new FimChunkEncoder(call, context),
  collector: (call, context) => new CompletionCollector(call, context),
}
