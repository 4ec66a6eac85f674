import { chatCompletionsDialect } from '../../wire/chat-completions/dialect.ts'
import type { BodyReader } from '../../wire/dialect.ts'
import { embeddingsDialect } from '../../wire/embeddings/dialect.ts'
import { countedMessages, messagesDialect } from '../../wire/messages/dialect.ts'
import { rerankDialect } from '../../wire/rerank/dialect.ts'
import { countedResponses, responsesDialect } from '../../wire/responses/dialect.ts'

const readers: readonly BodyReader<unknown>[] = [
  chatCompletionsDialect,
  messagesDialect,
  countedMessages,
  responsesDialect,
  countedResponses,
  embeddingsDialect,
  rerankDialect,
]

/** Who reads the bodies of an endpoint. A thread is told the name alone. */
export const bodyReaders: ReadonlyMap<string, BodyReader<unknown>> = new Map(
  readers.map((reader) => [reader.endpoint, reader]),
)
