import { isObject } from '../../../core/json.ts'
import { malformedAnswer } from '../http/failure.ts'
import { isCount, promptTokensOf } from './read-usage.ts'

interface ReadScores {
  /** One score per document, in the order of the documents. */
  readonly scores: Float32Array
  readonly promptTokens: number | undefined
}

/**
 * Reads the scores of `count` documents from an answer to `/rerank`: `results` with `relevance_score`, or SGLang's
 * list with `score`. Throws UpstreamFailure if a score is missing or not a number.
 */
export function readScores(answer: unknown, count: number): ReadScores {
  const results: unknown = isObject(answer) ? (answer.results ?? answer.data) : answer
  if (!Array.isArray(results) || results.length !== count)
    throw malformedAnswer(`not as many scores as documents, which are ${count}`)
  const scores = new Float32Array(count).fill(Number.NaN)
  let ownTokens: number | undefined = 0
  for (const result of results) {
    const { index, relevance_score, score = relevance_score, meta_info } = isObject(result) ? result : {}
    if (typeof index !== 'number' || !(index in scores) || !Number.isNaN(scores[index])) {
      throw malformedAnswer('scores whose indexes are not those of the documents')
    }
    if (typeof score !== 'number' || !Number.isFinite(Math.fround(score)))
      throw malformedAnswer('a score that is no number')
    scores[index] = score
    const tokens = isObject(meta_info) ? meta_info.prompt_tokens : undefined
    ownTokens = ownTokens !== undefined && isCount(tokens) ? ownTokens + tokens : undefined
  }
  return { scores, promptTokens: promptTokensOf(answer) ?? ownTokens }
}
