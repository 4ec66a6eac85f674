/** Cohere's endpoints, besides the first version of its rerank, which is /v1/rerank. */

import { rankedOf, rerankMeta, toResults } from '../rerank/dialect.ts'
import { parseRerank, RerankBody, type RerankCall } from '../rerank/parse-request.ts'
import { requireFewDocuments, requireFewInputs } from '../text-counts.ts'
import { type TextsDialect, textsCollector } from '../texts-dialect.ts'
import { toCohereEmbed, toCohereEmbedV1 } from './embed-answer.ts'
import {
  CohereEmbedBody,
  CohereEmbedBodyV1,
  type CohereEmbedCall,
  parseCohereEmbed,
  parseCohereEmbedV1,
} from './parse-embed.ts'

/** POST /v2/rerank: the bodies of /v1/rerank. */
export const cohereRerankDialect: TextsDialect<RerankCall> = {
  endpoint: 'v2/rerank',
  kind: 'rerank',
  body: RerankBody,
  parse: parseRerank,
  require: requireFewDocuments,
  collector: textsCollector((call, computed, { newId }) => {
    const results = toResults(rankedOf(call, computed), call.shownDocuments)
    return [JSON.stringify({ id: newId('rerank_'), results, meta: rerankMeta })]
  }),
}

/** POST /v2/embed. */
export const cohereEmbedDialect: TextsDialect<CohereEmbedCall> = {
  endpoint: 'v2/embed',
  kind: 'embed',
  body: CohereEmbedBody,
  parse: parseCohereEmbed,
  require: (call, manifest, limits) => requireFewInputs(call, manifest, limits, call.field),
  toCallersParam,
  collector: textsCollector(toCohereEmbed),
}

/** POST /v1/embed. */
export const cohereEmbedV1Dialect: TextsDialect<CohereEmbedCall> = {
  endpoint: 'embed',
  kind: 'embed',
  body: CohereEmbedBodyV1,
  parse: parseCohereEmbedV1,
  require: (call, manifest, limits) => requireFewInputs(call, manifest, limits, call.field),
  toCallersParam,
  collector: textsCollector(toCohereEmbedV1),
}

function toCallersParam({ field }: CohereEmbedCall, param: string): string {
  return param === 'dimensions' ? 'output_dimension' : param.replace(/^input\b/, field)
}
