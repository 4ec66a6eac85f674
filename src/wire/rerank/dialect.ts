import type { AnswerContext } from '../dialect.ts'
import { requireFewDocuments } from '../text-counts.ts'
import { type ComputedTexts, type TextsDialect, textsCollector } from '../texts-dialect.ts'
import { parseRerank, RerankBody, type RerankCall } from './parse-request.ts'

/** POST /rerank. */
export const rerankDialect: TextsDialect<RerankCall> = {
  endpoint: 'rerank',
  kind: 'rerank',
  body: RerankBody,
  parse: parseRerank,
  require: requireFewDocuments,
  collector: textsCollector(toRerank),
}

/**
 * Returns the answer with the fields of all services that have this endpoint: Cohere and Jina use `results`, Voyage
 * `data`.
 */
export function toRerank(call: RerankCall, computed: ComputedTexts, { newId }: Pick<AnswerContext, 'newId'>): string[] {
  const { shownDocuments } = call
  const ranked = rankedOf(call, computed)
  const { promptTokens } = computed
  const answer = {
    id: newId('rerank_'),
    object: 'list',
    model: call.model,
    results: toResults(ranked, shownDocuments),
    data: ranked.map(({ index, score }) => ({ index, relevance_score: score, document: shownDocuments?.[index] })),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    meta: rerankMeta,
  }
  return [JSON.stringify(answer)]
}

/** Billing metadata of a Cohere response: each request counts as one search unit. */
export const rerankMeta = { api_version: { version: '2' }, billed_units: { search_units: 1 } } as const

interface RankedDocument {
  readonly index: number
  readonly score: number
}

/** Returns the documents, the best first. Ties keep the order of the request. */
export function rankedOf({ topN }: RerankCall, { result }: ComputedTexts): RankedDocument[] {
  if (result.type !== 'scores') throw new Error('documents became vectors: this is a bug')
  return Array.from(result.values, (score, index) => ({ index, score }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, topN)
}

/** Returns results. Object documents are returned as sent, texts as objects with `text`. */
export function toResults(ranked: readonly RankedDocument[], shown: RerankCall['shownDocuments']): object[] {
  return ranked.map(({ index, score }) => {
    const document = shown?.[index]
    return {
      index,
      relevance_score: score,
      document: typeof document === 'string' ? { text: document } : document,
    }
  })
}
