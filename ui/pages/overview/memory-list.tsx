import type { HistoryOnPage } from '../../../src/wire/pages/history.ts'
import type { EngineEvent } from '../../../src/wire/pages/live.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { bytesText } from '../../parts/bytes-text.ts'
import { numberText } from '../../parts/number-text.ts'
import { seriesOf } from '../../parts/series.ts'
import { Sparkline } from '../../parts/sparkline.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { modelAddress } from '../models/model-table.tsx'
import { cacheShare, engineLoad } from './engine-load.ts'
import { joined, recentValues, type Sample, samplesOf } from './recent-values.ts'
import type { Bar, Segment } from './segments.ts'

interface MemoryListProps {
  readonly title: string
  readonly bar: Bar
  readonly segments: readonly Segment[]
  readonly engines: ReadonlyMap<string, EngineEvent>
  readonly workOf: (model: string) => boolean
  readonly samples: ReadonlyMap<string, readonly Sample[]>
}

/** Shows the bar in words, with each model's work below it if the work is shown on this bar. */
export function MemoryList({ title, bar, segments, engines, workOf, samples }: MemoryListProps) {
  const whole = bar.total_bytes === null ? '' : texts.overview.ofWhole(bytesText(bar.total_bytes))
  return (
    <ul class="memory-list" aria-label={title}>
      {segments.map((segment) => {
        const { kind, model, bytes } = segment
        const engine = model === undefined ? undefined : engines.get(model)
        if (model === undefined) {
          return (
            <li key={kind}>
              <span class={`key ${kind}`} aria-hidden="true" />
              {texts.overview.kinds[kind]} {bytesText(bytes)}
              <span class="unseen">{whole}</span>
            </li>
          )
        }
        const hasWork = workOf(model) && engine !== undefined
        return (
          <li key={model} class={hasWork ? 'memory-model' : ''}>
            <span class="memory-name">
              <span
                class={`key series-${seriesOf(model)}${segment.isMeasured ? '' : ' estimated'}`}
                aria-hidden="true"
              />
              <a href={modelAddress(model)}>{model}</a> {sizeText(segment)}
              <span class="unseen">{whole}</span>
              {hasWork && <Parts segment={segment} engine={engine} />}
            </span>
            {hasWork && <Work engine={engine} live={samples.get(model) ?? []} />}
          </li>
        )
      })}
    </ul>
  )
}

function sizeText({ bytes, isMeasured }: Segment): string {
  return isMeasured ? texts.overview.used(bytesText(bytes)) : texts.overview.estimated(bytesText(bytes))
}

function Parts({ segment, engine }: { readonly segment: Segment; readonly engine: EngineEvent }) {
  const { bytes, weightsBytes, cacheBytes } = segment
  if (weightsBytes + cacheBytes === 0) return null
  const { weights, cache, compute, inUse } = texts.overview
  const share = cacheShare(engine)
  const rest = bytes - weightsBytes - cacheBytes
  const used = share === undefined ? '' : ` ${inUse(Math.round(share * 100))}`
  const parts = [
    weightsBytes > 0 ? `${weights} ${bytesText(weightsBytes)}` : '',
    cacheBytes > 0 ? `${cache} ${bytesText(cacheBytes)}${used}` : '',
    rest > 0 ? `${compute} ${bytesText(rest)}` : '',
  ]
  return (
    <span class="sub">
      {parts
        .filter((part) => part !== '')
        .map((part) => (
          <span key={part}>{part}</span>
        ))}
    </span>
  )
}

/** Shows a model's present requests, and its tokens over ten minutes. */
function Work({ engine, live }: { readonly engine: EngineEvent; readonly live: readonly Sample[] }) {
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
