import type { AnswerContext } from '../dialect.ts'
import type { ComputedTexts } from '../texts-dialect.ts'
import type { RerankDocument } from './parse-documents.ts'
import type { RerankCall } from './parse-request.ts'

/** The answer in one piece: the best documents first, of equal ones the one that was sent first. */
export function toRerank(
  { model, shownDocuments, topN }: RerankCall,
  { result, promptTokens }: ComputedTexts,
  { newId }: Pick<AnswerContext, 'newId'>,
): string[] {
  if (result.type !== 'scores') throw new Error('documents became vectors: this is a bug')
  const ranked = Array.from(result.values, (score, index) => ({ index, score }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, topN)
  const answer = {
    id: newId('rerank_'),
    model,
    results: ranked.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...shown(shownDocuments?.[index]),
    })),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  }
  return [JSON.stringify(answer)]
}

/** Objects come back as they were sent, texts in the shape that objects have. */
function shown(document: RerankDocument | undefined): { document?: object } {
  if (document === undefined) return {}
  return { document: typeof document === 'string' ? { text: document } : document }
}
