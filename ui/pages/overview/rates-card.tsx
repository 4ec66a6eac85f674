import type { HistoryOnPage } from '../../../src/wire/pages/history.ts'
import type { RatesOnPage } from '../../../src/wire/pages/live.ts'
import { numberText } from '../../parts/number-text.ts'
import { Sparkline } from '../../parts/sparkline.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { joined, recentValues, samplesOf } from './recent-values.ts'

const columns = ['output_tokens_per_s', 'prompt_tokens_per_s'] as const

interface RatesCardProps {
  readonly history: HistoryOnPage | undefined
  /** Rates reported since the history was loaded. */
  readonly rates: readonly RatesOnPage[]
}

/** Shows the rates of all models together, over ten minutes and now. */
export function RatesCard({ history, rates }: RatesCardProps) {
  const words = texts.overview
  const newest = rates.at(-1)
  const errors = newest?.errors_per_min ?? 0
  const names = { output_tokens_per_s: words.output, prompt_tokens_per_s: words.prompt }
  return (
    <section class="card rates" aria-label={words.rates}>
      <h2>{words.rates}</h2>
      {columns.map((column) => {
        const past = history === undefined ? [] : samplesOf(history, column)
        const live = rates.map((each) => ({ atMs: Date.parse(each.at), value: each[column] }))
        const values = recentValues(joined(past, live), Date.now())
        const [now, greatest] = [newest?.[column] ?? 0, Math.max(0, ...values.map((value) => value ?? 0))].map(
          numberText,
        )
        return (
          <div key={column} class="rate-line">
            <span class="muted">{names[column]}</span>
            <Sparkline values={values} label={words.rateLine(names[column], now ?? '', greatest ?? '')} />
            <span class="rate-now">
              <b>{words.perSecond(now ?? '')}</b>
              <span class="sub">{words.greatest(greatest ?? '')}</span>
            </span>
          </div>
        )
      })}
      <dl class="rate-counts">
        <Count name={words.running} value={numberText(newest?.running ?? 0)} />
        <Count name={words.waiting} value={numberText(newest?.waiting ?? 0)} />
        <Count name={words.errors} value={words.perMinute(numberText(errors))} isBad={errors > 0} />
      </dl>
    </section>
  )
}

function Count({
  name,
  value,
  isBad = false,
}: {
  readonly name: string
  readonly value: string
  readonly isBad?: boolean
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isBad ? 'bad' : ''}>{value}</dd>
    </div>
  )
}
