import { useState } from 'preact/hooks'
import { ResultTitle } from '../../parts/play/result-title.tsx'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/texts.ts'

interface RankingProps {
  readonly documents: readonly string[]
  /** The best first. */
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[]
}

type Order = keyof typeof texts.search.orders

/** Lists documents with bars as long as their scores. */
export function Ranking({ documents, results }: RankingProps) {
  const [order, setOrder] = useState<Order>('score')
  const shown = order === 'score' ? results : [...results].sort((a, b) => a.index - b.index)
  const lengths = barLengths(results.map(({ relevance_score: score }) => score))
  return (
    <section class="stack">
      <div class="row ranking-head">
        <ResultTitle>{texts.search.results}</ResultTitle>
        <Select label={texts.search.order} value={order} choices={texts.search.orders} onChange={setOrder} />
      </div>
      <ol class="ranking">
        {shown.map((result) => {
          const rank = results.indexOf(result)
          return (
            <li key={result.index} value={rank + 1}>
              <span class="rank-number">{rank + 1}</span>
              <div>
                <p class="rank-text">{documents[result.index]}</p>
                <div class="rank-bar" style={{ '--length': `${((lengths[rank] ?? 0) * 100).toFixed(1)}%` }} />
                <p class="hint">
                  {texts.search.score} <b class="number">{scoreText(result.relevance_score)}</b> ·{' '}
                  {texts.search.sentAs(result.index + 1)}
                </p>
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

/** Returns the lengths of bars, 0 to 1: probabilities unchanged, other scores scaled from the lowest to the highest. */
function barLengths(scores: readonly number[]): number[] {
  if (scores.every((score) => score >= 0 && score <= 1)) return [...scores]
  const [lowest, highest] = [Math.min(...scores), Math.max(...scores)]
  return scores.map((score) => (highest === lowest ? 1 : (score - lowest) / (highest - lowest)))
}

/** Returns a score that keeps its digits if small: 0.000123. */
function scoreText(score: number): string {
  return Math.abs(score) >= 0.001 || score === 0 ? score.toFixed(3) : score.toPrecision(3)
}
