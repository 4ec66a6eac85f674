import type { ChatEvent } from '../../core/chat.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { WorkDialect } from '../dialect.ts'
import { requireFewInputs } from '../text-counts.ts'
import { type OllamaCall, requireThinking } from './answer-fields.ts'
import {
  embedCollector,
  embeddingsCollector,
  OllamaEmbedBody,
  type OllamaEmbedCall,
  OllamaEmbeddingsBody,
  parseOllamaEmbed,
  parseOllamaEmbeddings,
  toCallersInput,
} from './embed.ts'
import { chatFields, emptyAnswer, generateFields, lineCollector, lineEncoder } from './lines.ts'
import { OllamaChatBody, parseOllamaChat } from './parse-chat.ts'
import { OllamaGenerateBody, parseOllamaGenerate } from './parse-generate.ts'

const answers = ['application/x-ndjson', 'application/json']

/** POST /api/chat. */
export const ollamaChatDialect: WorkDialect<OllamaCall, ChatEvent> = {
  endpoint: 'api/chat',
  kind: 'chat',
  body: OllamaChatBody,
  takesAnyType: true,
  answers,
  parse: parseOllamaChat,
  require: requireThinking,
  encoder: lineEncoder(chatFields),
  collector: lineCollector(chatFields),
  emptyAnswer: emptyAnswer(chatFields),
}

/** POST /api/generate. */
export const ollamaGenerateDialect: WorkDialect<OllamaCall, ChatEvent> = {
  endpoint: 'api/generate',
  kind: 'chat',
  body: OllamaGenerateBody,
  takesAnyType: true,
  answers,
  parse: parseOllamaGenerate,
  require: requireThinking,
  encoder: lineEncoder(generateFields),
  collector: lineCollector(generateFields),
  emptyAnswer: emptyAnswer(generateFields),
}

/** POST /api/embed. */
export const ollamaEmbedDialect: WorkDialect<OllamaEmbedCall, WorkEvent<'embed'>> = {
  endpoint: 'api/embed',
  kind: 'embed',
  body: OllamaEmbedBody,
  takesAnyType: true,
  parse: parseOllamaEmbed,
  require: requireFewInputs,
  toCallersParam: toCallersInput,
  collector: embedCollector,
  emptyAnswer: ({ model }) => ({
    model,
    embeddings: [],
    total_duration: 0,
    load_duration: 0,
    prompt_eval_count: 0,
  }),
}

/** POST /api/embeddings. */
export const ollamaEmbeddingsDialect: WorkDialect<OllamaEmbedCall, WorkEvent<'embed'>> = {
  endpoint: 'api/embeddings',
  kind: 'embed',
  body: OllamaEmbeddingsBody,
  takesAnyType: true,
  parse: parseOllamaEmbeddings,
  toCallersParam: (_, param) => param.replace(/^input\[0\]/, 'prompt'),
  collector: embeddingsCollector,
  emptyAnswer: () => ({ embedding: [] }),
}
