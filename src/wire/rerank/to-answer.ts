import type { AnswerContext } from '../dialect.ts'
import type { ComputedTexts } from '../texts-dialect.ts'
import type { RerankCall } from './parse-request.ts'

/** The fields of an answer that all services with this endpoint name: Cohere and Jina in `results`, Voyage in `data`. */
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

/** What answers of Cohere's dialect say beside their results: a request is paid for as one search. */
export const rerankMeta = { api_version: { version: '2' }, billed_units: { search_units: 1 } } as const

interface RankedDocument {
  readonly index: number
  readonly score: number
}

/** The best documents first, of equal ones the one that was sent first. */
export function rankedOf({ topN }: RerankCall, { result }: ComputedTexts): RankedDocument[] {
  if (result.type !== 'scores') throw new Error('documents became vectors: this is a bug')
  return Array.from(result.values, (score, index) => ({ index, score }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, topN)
}

/** Documents that are objects come back as they were sent, texts in the shape that objects have. */
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
