import { requireFewDocuments } from '../text-counts.ts'
import { type TextsDialect, textsCollector } from '../texts-dialect.ts'
import { parseRerank, RerankBody, type RerankCall } from './parse-request.ts'
import { toRerank } from './to-answer.ts'

/** POST /rerank. */
export const rerankDialect: TextsDialect<RerankCall> = {
  endpoint: 'rerank',
  kind: 'rerank',
  body: RerankBody,
  parse: parseRerank,
  require: requireFewDocuments,
  collector: textsCollector(toRerank),
}
