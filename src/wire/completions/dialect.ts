import type { ChatDialect } from '../dialect.ts'
import { TextChunkEncoder } from './chunk-encoder.ts'
import { type CompletionCall, CompletionsBody, parseCompletion } from './parse-request.ts'
import { TextCompletionCollector } from './text-completion.ts'

/** POST /completions. */
export const completionsDialect: ChatDialect<CompletionCall> = {
  endpoint: 'completions',
  kind: 'chat',
  body: CompletionsBody,
  parse: parseCompletion,
  encoder: (call, context) => new TextChunkEncoder(call, context),
  collector: (call, context) => new TextCompletionCollector(call, context),
}
