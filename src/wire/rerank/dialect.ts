import { parseModelId } from '../check.ts'
import type { EncodeDialect } from '../encode-dialect.ts'
import { parseRerank, type RerankCall } from './parse-request.ts'
import { toRerank } from './to-answer.ts'

/** POST /rerank. */
export const rerankDialect: EncodeDialect<RerankCall> = {
  endpoint: 'rerank',
  requestType: 'rerank',
  parseModelId,
  parse: parseRerank,
  toCallersParam: (_, param) => param,
  toAnswer: toRerank,
}
