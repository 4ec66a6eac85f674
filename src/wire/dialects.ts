/** All dialects of requests for models, for the route table and for the parsing thread. */
import { chatCompletionsDialect } from './chat-completions/dialect.ts'
import { cohereEmbedDialect, cohereEmbedV1Dialect, cohereRerankDialect } from './cohere/dialects.ts'
import { completionsDialect } from './completions/dialect.ts'
import { embeddingsDialect } from './embeddings/dialect.ts'
import { fimCompletionsDialect } from './fim-completions/dialect.ts'
import { imagesDialect } from './images/dialect.ts'
import { countedMessages, messagesDialect } from './messages/dialect.ts'
import { moderationsDialect } from './moderations/dialect.ts'
import {
  ollamaChatDialect,
  ollamaEmbedDialect,
  ollamaEmbeddingsDialect,
  ollamaGenerateDialect,
} from './ollama/dialect.ts'
import { rerankDialect } from './rerank/dialect.ts'
import { countedResponses, responsesDialect } from './responses/dialect.ts'
import { speechDialect } from './speech/dialect.ts'
import { applyTemplateDialect, detokenizeDialect, tokenizeDialect, tokenizerInfoDialect } from './tokens/dialects.ts'
import { transcriptionsDialect, translationsDialect } from './transcriptions/dialect.ts'

export const dialects = {
  chatCompletions: chatCompletionsDialect,
  completions: completionsDialect,
  fimCompletions: fimCompletionsDialect,
  responses: responsesDialect,
  countedResponses,
  messages: messagesDialect,
  countedMessages,
  embeddings: embeddingsDialect,
  rerank: rerankDialect,
  cohereEmbed: cohereEmbedDialect,
  cohereEmbedV1: cohereEmbedV1Dialect,
  cohereRerank: cohereRerankDialect,
  moderations: moderationsDialect,
  images: imagesDialect,
  speech: speechDialect,
  transcriptions: transcriptionsDialect,
  translations: translationsDialect,
  tokenize: tokenizeDialect,
  detokenize: detokenizeDialect,
  applyTemplate: applyTemplateDialect,
  tokenizerInfo: tokenizerInfoDialect,
  ollamaChat: ollamaChatDialect,
  ollamaGenerate: ollamaGenerateDialect,
  ollamaEmbed: ollamaEmbedDialect,
  ollamaEmbeddings: ollamaEmbeddingsDialect,
}
