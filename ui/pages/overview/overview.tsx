/** Overview: is it well, what is it doing. */
import type { RatesOnPage, StateOnPage } from '../../../src/wire/pages/live.ts'
import { useResult } from '../../api/operation.ts'
import { FailureBox } from '../../parts/failure-box.tsx'
import { LiveNote } from '../../parts/live-note.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Money } from '../../parts/money.tsx'
import { numberText } from '../../parts/number-text.ts'
import { Page } from '../../parts/page.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { texts } from '../../texts/texts.ts'
import { EngineTable } from './engine-table.tsx'
import { MemoryBar } from './memory-bar.tsx'
import { useOverview } from './use-overview.ts'

export default function OverviewPage() {
  const { live, state, machine, devices, engines, rates } = useOverview()
  const words = texts.overview
  return (
    <Page title={words.title}>
      <div class="sections">
        {state === undefined && live.failure !== undefined && <FailureBox failure={live.failure} />}
        {state !== undefined && <State state={state} />}
        <div class="overview-columns">
          <div class="stack">
            {devices.map((device) => (
              <MemoryBar key={device.id} title={words.gpu(device.id)} bar={device} device={device} />
            ))}
            {machine !== undefined && <MemoryBar title={words.memory} bar={machine.memory} />}
            {machine !== undefined && devices.length === 0 && (
              <p class="hint">
                {words.noDevice} <a href="/admin/system">{words.noDeviceMore}</a>
              </p>
            )}
          </div>
          <RatesCard rates={rates} />
        </div>
        <section>
          <h2>{words.engines}</h2>
          <EngineTable engines={engines} />
        </section>
        <Today />
        <LiveNote live={live} />
      </div>
    </Page>
  )
}

const signs = { ok: '●', warn: '▲', bad: '▲' } as const

/** The server's own sentence, and what the operator should know. */
function State({ state: { sentence, severity, notices } }: { readonly state: StateOnPage }) {
  const others = notices.filter(({ text }) => text !== sentence)
  return (
    <section>
      <p class={`state-sentence ${severity}`} role="status">
        <span aria-hidden="true">{signs[severity]}</span> {sentence}
      </p>
      {others.length > 0 && (
        <ul class="notices">
          {others.map(({ code, severity: tone, text, link }) => (
            <li key={`${code} ${text}`}>
              <span class={tone} aria-hidden="true">
                {signs[tone]}
              </span>{' '}
              <a href={link}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function RatesCard({ rates }: { readonly rates: readonly RatesOnPage[] }) {
  const words = texts.overview
  const newest = rates.at(-1)
  const line = (name: string, values: readonly number[]) => {
    const [now, greatest] = [numberText(values.at(-1) ?? 0), numberText(Math.max(0, ...values))]
    return (
      <div class="rate-line">
        <span class="muted">{name}</span>
        <Sparkline values={values} label={words.rateLine(name, now, greatest)} />
        <b>{words.perSecond(now)}</b>
        <span class="muted">{words.greatest(greatest)}</span>
      </div>
    )
  }
  return (
    <section class="card rates" aria-label={words.rates}>
      <h2>{words.rates}</h2>
      {line(
        words.output,
        rates.map((each) => each.output_tokens_per_s),
      )}
      {line(
        words.prompt,
        rates.map((each) => each.prompt_tokens_per_s),
      )}
      <p class="row">
        {words.running} <b>{newest?.running ?? 0}</b> · {words.waiting} <b>{newest?.waiting ?? 0}</b> · {words.errors}{' '}
        <b class={(newest?.errors_per_min ?? 0) > 0 ? 'bad' : ''}>
          {words.perMinute(numberText(newest?.errors_per_min ?? 0))}
        </b>
      </p>
    </section>
  )
}

/** Sums of the UTC day, as the server adds them up. */
function Today() {
  const day = new Date()
  const fromMs = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate())
  const answer = useResult(
    'usage-report',
    { by: ['day'], fromMs, toMs: fromMs + 24 * 60 * 60 * 1_000 },
    { everyMs: 30_000 },
  )
  const words = texts.overview
  return (
    <section>
      <h2>{words.today}</h2>
      <Loaded answer={answer} lines={1}>
        {({ total }) => (
          <p class="row">
            <b>{numberText(total.requests)}</b> {words.requests} ·{' '}
            <b>{numberText(total.promptTokens + total.completionTokens)}</b> {words.tokens} ·{' '}
            <b>
              <Money usd={total.chargedUsd} />
            </b>{' '}
            {words.charged}
          </p>
        )}
      </Loaded>
    </section>
  )
}
