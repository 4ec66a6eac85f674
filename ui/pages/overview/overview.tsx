/** Overview: the server's health and its present work. */
import type { HistoryOnPage } from '../../../src/wire/pages/history.ts'
import type { EngineEvent, StateOnPage } from '../../../src/wire/pages/live.ts'
import { useResult } from '../../api/operation.ts'
import { status } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { FailureBox } from '../../parts/failure-box.tsx'
import { LiveNote } from '../../parts/live-note.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { MachineBars } from '../../parts/memory/machine-bars.tsx'
import { Money } from '../../parts/money.tsx'
import { numberText } from '../../parts/number-text.ts'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { Checklist } from './checklist.tsx'
import { EngineTable } from './engine-table.tsx'
import { EngineWork } from './engine-work.tsx'
import { RatesCard } from './rates-card.tsx'
import { useOverview } from './use-overview.ts'

export default function OverviewPage() {
  const { live, state, seen, engines, rates, samples } = useOverview()
  const history = useAnswer<HistoryOnPage>('/admin/api/history?series=rates&window=10m', { everyMs: 60_000 })
  const words = texts.overview
  const workOf = (model: string) => {
    const engine = engines.get(model)
    return engine && <EngineWork engine={engine} live={samples.get(model) ?? []} />
  }
  return (
    <Page title={words.title}>
      <div class="sections">
        {state === undefined && live.failure !== undefined && <FailureBox failure={live.failure} />}
        {state !== undefined && <State state={state} since={history.data?.since} />}
        <div class="overview-columns">
          <div class="stack">
            <MachineBars {...seen} engines={engines} moreOf={workOf} />
            {seen.machine !== undefined && seen.devices.length === 0 && (
              <p class="hint">
                {words.noDevice} <a href="/admin/system">{words.noDeviceMore}</a>
              </p>
            )}
          </div>
          <RatesCard history={history.data} rates={rates} />
        </div>
        <Checklist otherwise={engines.size === 0 && <Engines engines={[]} />} />
        {engines.size > 0 && <Engines engines={[...engines.values()]} />}
        <Today />
        <LiveNote live={live} />
      </div>
    </Page>
  )
}

function Engines({ engines }: { readonly engines: readonly EngineEvent[] }) {
  return (
    <section>
      <h2>{texts.overview.engines}</h2>
      <EngineTable engines={engines} />
    </section>
  )
}

const signs = { ok: '●', warn: '▲', bad: '▲' } as const

interface StateProps {
  readonly state: StateOnPage
  /** Start time of the server. */
  readonly since: string | null | undefined
}

/** Shows the server's own sentence and its notices. */
function State({ state: { sentence, severity, notices }, since }: StateProps) {
  const others = notices.filter(({ text }) => text !== sentence)
  const version = status.value?.version
  return (
    <section>
      <div class="state-line">
        <p class={`state-sentence ${severity}`} role="status">
          <span aria-hidden="true">{signs[severity]}</span> {sentence}
        </p>
        <p class="muted hint">
          {since && (
            <>
              {texts.overview.upSince} <Time at={since} />
            </>
          )}
          {since && version !== undefined && ' · '}
          {version !== undefined && texts.overview.version(version)}
        </p>
      </div>
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

const dayMs = 24 * 60 * 60 * 1_000

/** Shows the sums of the present UTC day, computed by the server. */
function Today() {
  const now = new Date()
  const fromMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())
  const answer = useResult('usage-report', { by: ['day'], fromMs, toMs: fromMs + dayMs }, { everyMs: 30_000 })
  const accounts = useResult('accounts-count', { sinceMs: fromMs }, { everyMs: 30_000 })
  const words = texts.overview
  return (
    <section>
      <h2>{words.today}</h2>
      <Loaded answer={answer} lines={1}>
        {({ total }) => (
          <ul class="today">
            <li>
              <b>{numberText(total.requests)}</b> {words.requests(total.requests)}
            </li>
            <li>
              <b>{numberText(total.promptTokens + total.completionTokens)}</b> {words.tokens}
            </li>
            <li>
              <b>
                <Money usd={total.chargedUsd} />
              </b>{' '}
              {words.charged}
            </li>
            {accounts.data !== undefined && accounts.data.made > 0 && (
              <li>
                <b>{numberText(accounts.data.made)}</b>{' '}
                <a href="/admin/accounts">{words.newAccounts(accounts.data.made)}</a>
              </li>
            )}
          </ul>
        )}
      </Loaded>
    </section>
  )
}
