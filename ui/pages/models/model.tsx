/** One model: its state, its parts, and actions on it. */
import type { HistoryOnPage } from '../../../src/wire/pages/history.ts'
import type { EngineEvent } from '../../../src/wire/pages/live.ts'
import { useResult } from '../../api/operation.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { bytesText } from '../../parts/bytes-text.ts'
import { Chart } from '../../parts/chart.tsx'
import { Chips } from '../../parts/chips.tsx'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { Figures } from '../../parts/figures.tsx'
import { later } from '../../parts/later.tsx'
import { LiveNote } from '../../parts/live-note.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { MachineBars } from '../../parts/memory/machine-bars.tsx'
import { ModelMark } from '../../parts/model-mark.tsx'
import { Page } from '../../parts/page.tsx'
import { tryAddress } from '../../parts/play/try-address.ts'
import { RowMenu } from '../../parts/row-menu.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { Time } from '../../parts/time.tsx'
import { clockTime } from '../../parts/time-text.ts'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import { FileTable, type ModelShown, SettingTable } from './detail-tables.tsx'
import { pricesOf } from './model-cells.tsx'
import {
  cacheText,
  fitText,
  isLoaded,
  type LiveModel,
  memoryText,
  reservedText,
  stateText,
  stepsText,
} from './model-state.ts'
import { useItCall } from './try-model.ts'
import { useModelActions } from './use-model-actions.tsx'
import { useLiveModels } from './use-models.ts'

const EndpointTable = later(() => import('./endpoint-table.tsx').then((loaded) => loaded.EndpointTable))

export default function Model({ id }: { readonly id: string }) {
  const answer = useResult('models-show', { model: id })
  const { engines, live, seen, withLive } = useLiveModels(() => void answer.reload())
  const { actionsOf, dialog } = useModelActions(() => void answer.reload())
  const shown = answer.data
  const model = shown && withLive(shown)
  const actions = model === undefined ? [] : actionsOf(model)
  const rest = actions.filter(({ isMain }) => isMain !== true)
  const tryPage = model && tryAddress(model.row)
  const isReady = model?.row.status === 'ready'
  const buttons = model !== undefined && (
    <span class="row">
      {isReady && tryPage !== undefined && (
        <a class="button" href={tryPage}>
          {texts.models.try}
        </a>
      )}
      {actions
        .filter(({ isMain }) => isMain === true)
        .map(({ label, onChoose }) => (
          <button key={label} type="button" class="primary" onClick={onChoose}>
            {label}
          </button>
        ))}
      {rest.length > 0 && <RowMenu label={texts.models.actionsOf(id)} items={rest} />}
    </span>
  )
  return (
    <Page title={id} intro={<a href="/admin/models">{texts.model.back}</a>} action={buttons}>
      <Loaded answer={answer} lines={8}>
        {(details) => (
          <div class="sections">
            {model !== undefined && <Facts model={model} details={details} />}
            <MachineBars
              {...seen}
              only={details.id}
              engines={engines}
              moreOf={(each) => (each === details.id ? null : undefined)}
            />
            {model !== undefined && <Failure engine={model.engine} details={details} />}
            {details.engine === 'upstream' && <EndpointTable model={details.id} />}
            {model !== undefined && isLoaded(model) && <Activity id={details.id} />}
            <FileTable files={details.files} />
            <SettingTable id={details.id} settings={details.settings} />
            <section>
              <CodeDrawer title={texts.model.use} call={useItCall(details)} />
            </section>
            <LiveNote live={live} />
          </div>
        )}
      </Loaded>
      {dialog}
    </Page>
  )
}

function Facts({ model, details }: { readonly model: LiveModel; readonly details: ModelShown }) {
  const { row, pull } = model
  const { tone, word, more } = stateText(model)
  const words = texts.model
  const able = Object.entries(details.capabilities ?? {}).flatMap(([name, value]) => (value === true ? [name] : []))
  const items = [
    [words.type, row.type],
    [words.engine, row.engine],
    [words.backend, backendText(model.engine ?? details)],
    [words.license, row.license ?? ''],
    [words.context, row.contextLength === null ? '' : words.tokens(row.contextLength ?? 0)],
    [words.memory, memoryText(model)],
    [words.reserved, reservedText(model)],
    [words.price, pricesOf(row)],
    [words.aliases, row.aliases.join(', ')],
    [words.capabilities, able.join(', ').replaceAll('_', ' ')],
    [words.checked, details.checkedAtMs === null ? '' : <Time at={details.checkedAtMs} />],
    [words.lacks, details.lacks.join(', ').replaceAll('-', ' ')],
    [words.lastUsed, row.lastUsedMs === null ? texts.shared.never : <Time at={row.lastUsedMs} />],
    [words.cache, cacheText(model)],
    [words.steps, stepsText(model)],
    [words.restarts, model.engine?.restarts ?? details.restarts],
  ] as const
  return (
    <section class="card">
      {row.why !== null && <p>{row.why}</p>}
      <p class="row">
        <ModelMark id={row.id} />
        <StateWord tone={tone} word={word} />
        {more !== '' && <span class="muted">{more}</span>}
      </p>
      {pull?.state === 'running' && <progress value={pull.bytes} max={Math.max(1, pull.total)} aria-label={word} />}
      {row.fit !== null && <p class={row.fit.verdict === 'too-large' ? 'warn' : 'muted'}>{fitText(row)}</p>}
      {row.diskBytes === 0 && row.downloadBytes !== null && (
        <p class="muted">{texts.model.notHere(bytesText(row.downloadBytes ?? 0))}</p>
      )}
      <Figures items={items.filter(([, value]) => value !== '')} />
    </section>
  )
}

/** Returns the backend in words, with the reason if a faster one could be expected. */
function backendText({ backend, remark }: Pick<ModelShown, 'backend' | 'remark'>): string {
  return [backend, remark !== null && `(${remark})`].filter(Boolean).join(' ')
}

interface FailureProps {
  readonly engine: EngineEvent | undefined
  readonly details: ModelShown
}

/** Shows the engine's own explanation of its last failure. */
function Failure({ engine, details }: FailureProps) {
  const failure = engine?.last_failure ?? null
  const reason = failure?.reason ?? details.failedLoad ?? details.lastExit
  if (reason === null) return null
  const lines = failure?.lines ?? []
  return (
    <section aria-labelledby="last-failure">
      <h2 id="last-failure">{texts.model.lastFailure}</h2>
      <p class="row">
        <span class="bad">{reason}</span>
        {failure !== null && <Time at={failure.at} />}
      </p>
      {engine?.retry_at && <p class="muted">{texts.model.nextTry(clockTime(Date.parse(engine.retry_at)))}</p>}
      {lines.length > 0 && (
        <details open>
          <summary>{texts.model.lastWords}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
          <pre class="last-words" tabIndex={0}>
            {lines.join('\n')}
          </pre>
        </details>
      )}
    </section>
  )
}

type Range = keyof typeof texts.model.ranges

/** Tokens and requests over time. */
function Activity({ id }: { readonly id: string }) {
  const asked = place.value.query.get('range')
  const range: Range = asked === '24h' || asked === '30d' ? asked : '10m'
  const series = encodeURIComponent(`engine:${id}`)
  const answer = useAnswer<HistoryOnPage>(`/admin/api/history?series=${series}&window=${range}`, { everyMs: 10_000 })
  const words = texts.model
  return (
    <section>
      <h2>{words.activity}</h2>
      <Chips<Range>
        label={words.range}
        value={range}
        choices={words.ranges}
        onChange={(chosen) => setQuery({ range: chosen === '10m' ? undefined : chosen })}
      />
      <Loaded answer={answer}>
        {(history) => (
          <div class="charts">
            <Chart
              title={words.tokensChart}
              unit="tokens/s"
              history={history}
              lines={[
                { column: 'output_tokens_per_s', label: texts.overview.output },
                { column: 'prompt_tokens_per_s', label: texts.overview.prompt },
              ]}
            />
            <Chart
              title={words.requestsChart}
              unit={texts.overview.requestsUnit}
              history={history}
              lines={[
                { column: 'running', label: texts.overview.running },
                { column: 'waiting', label: texts.overview.waiting },
              ]}
            />
          </div>
        )}
      </Loaded>
    </section>
  )
}
