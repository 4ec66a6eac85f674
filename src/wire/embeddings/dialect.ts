import { parseModelId } from '../check.ts'
import type { EncodeDialect } from '../encode-dialect.ts'
import { type EmbeddingsCall, parseEmbeddings } from './parse-request.ts'
import { toEmbeddings } from './to-answer.ts'

/** POST /embeddings. */
export const embeddingsDialect: EncodeDialect<EmbeddingsCall> = {
  endpoint: 'embeddings',
  requestType: 'embed',
  parseModelId,
  parse: parseEmbeddings,
  toCallersParam: ({ isSingle }, param) => (isSingle ? param.replace(/^input\[0\]/, 'input') : param),
  toAnswer: toEmbeddings,
}
