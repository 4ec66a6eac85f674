import { requireFewInputs } from '../text-counts.ts'
import { type TextsDialect, textsCollector } from '../texts-dialect.ts'
import { EmbeddingsBody, type EmbeddingsCall, parseEmbeddings } from './parse-request.ts'
import { toEmbeddings } from './to-answer.ts'

/** POST /embeddings. */
export const embeddingsDialect: TextsDialect<EmbeddingsCall> = {
  endpoint: 'embeddings',
  kind: 'embed',
  body: EmbeddingsBody,
  parse: parseEmbeddings,
  require: requireFewInputs,
  toCallersParam: ({ isSingle, dimensionsField }, param) => {
    if (param === 'dimensions') return dimensionsField
    return isSingle ? param.replace(/^input\[0\]/, 'input') : param
  },
  collector: textsCollector(toEmbeddings),
}
