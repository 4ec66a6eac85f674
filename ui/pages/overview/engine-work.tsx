import type { HistoryOnPage } from '../../../src/wire/pages/history.ts'
import type { EngineEvent } from '../../../src/wire/pages/live.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { engineLoad } from '../../parts/memory/engine-load.ts'
import { numberText } from '../../parts/number-text.ts'
import { Sparkline } from '../../parts/sparkline.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { joined, recentValues, type Sample, samplesOf } from './recent-values.ts'

/** Shows a model's present requests, and its tokens over ten minutes. */
export function EngineWork({ engine, live }: { readonly engine: EngineEvent; readonly live: readonly Sample[] }) {
  const series = encodeURIComponent(`engine:${engine.model}`)
  const { data } = useAnswer<HistoryOnPage>(`/admin/api/history?series=${series}&window=10m`, { everyMs: 60_000 })
  const past = data === undefined ? [] : samplesOf(data, 'output_tokens_per_s')
  const values = recentValues(joined(past, live), Date.now())
  const words = texts.overview
  const now = numberText(engine.output_tokens_per_s)
  const greatest = numberText(Math.max(0, ...values.map((value) => value ?? 0)))
  return (
    <span class="memory-work">
      <QueueSquares {...engineLoad(engine)} />
      <Sparkline values={values} label={words.rateLine(words.output, now, greatest)} />
      <b>{words.perSecond(now)}</b>
    </span>
  )
}

/** More are counted. */
const shownSquares = 20

/** Shows a filled square for each running request, an outlined one for each waiting one. */
function QueueSquares({ running, waiting }: { readonly running: number; readonly waiting: number }) {
  const all = running + waiting
  const label = texts.overview.queueText(running, waiting)
  if (all === 0) return <span class="squares muted">{texts.overview.idle}</span>
  return (
    <span class="squares" role="img" aria-label={label} title={label}>
      {Array.from({ length: Math.min(all, shownSquares) }, (_, index) => (
        <span key={index} class={index < running ? 'square running' : 'square'} />
      ))}
      {all > shownSquares && <span class="more">+{all - shownSquares}</span>}
    </span>
  )
}
