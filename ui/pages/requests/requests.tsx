/** Requests: running ones, recently ended ones, and paid ones. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { HistoryOnPage } from '../../../src/wire/pages/history.ts'
import { useLive } from '../../api/live.ts'
import { perform, useResult } from '../../api/operation.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { announce } from '../../parts/announce.tsx'
import { Chart } from '../../parts/chart.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { LiveNote } from '../../parts/live-note.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { ShowAll } from '../../parts/show-all.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import { Filters, filterNames, readFilter } from './filters.tsx'
import { RequestDialog } from './request-dialog.tsx'
import { type OperatorRequest, RequestTable } from './request-table.tsx'

type Tab = keyof typeof texts.requests.tabs

interface Open {
  readonly kind: 'show' | 'cancel'
  readonly row: OperatorRequest
}

/** Time in which several changes of requests cause a single reload */
const reloadDelayMs = 500

export default function Requests() {
  const asked = place.value.query.get('tab')
  const tab: Tab = asked === 'recent' || asked === 'paid' ? asked : 'running'
  const filter = readFilter(place.value.query)
  const answer = useResult('requests-list', { tab, filter, ...pageQuery() })
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const live = useLive({
    request: () => {
      if (timer.current !== undefined) return
      timer.current = setTimeout(() => {
        timer.current = undefined
        void answer.reload()
      }, reloadDelayMs)
    },
  })
  const words = texts.requests
  return (
    <Page title={words.title} intro={words.intro}>
      <div class="sections">
        <Pictures />
        <Tabs<Tab>
          label={words.which}
          value={tab}
          choices={words.tabs}
          onChange={(chosen) => setQuery({ tab: chosen === 'running' ? undefined : chosen, before: undefined })}
        >
          <div class="stack">
            <Filters key={tab} />
            <Loaded answer={answer} lines={6}>
              {({ rows, sinceMs }) => (
                <div class="stack">
                  {tab === 'recent' && sinceMs !== null && <p class="hint">{words.since(exactTime(sinceMs))}</p>}
                  {rows.length === 0 ? (
                    <Nothing tab={tab} isFiltered={Object.keys(filter).length > 0} />
                  ) : (
                    <RequestTable
                      rows={shownRows(rows)}
                      onShow={(row) => setOpen({ kind: 'show', row })}
                      onCancel={(row) => setOpen({ kind: 'cancel', row })}
                    />
                  )}
                  <Pager rows={rows} idOf={({ id }) => id} />
                </div>
              )}
            </Loaded>
          </div>
        </Tabs>
        <LiveNote live={live} />
      </div>
      {open?.kind === 'show' && <RequestDialog row={open.row} onClose={close} />}
      {open?.kind === 'cancel' && (
        <FormDialog
          {...{ title: words.cancelTitle(open.row.id), text: words.cancelText, button: words.cancel }}
          isDangerous
          onClose={close}
          onSend={async () => {
            await perform('requests-cancel', { request: open.row.id })
            announce(words.cancelled(open.row.id))
            close()
            void answer.reload()
          }}
        />
      )}
    </Page>
  )
}

function Nothing({ tab, isFiltered }: { readonly tab: Tab; readonly isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <Empty text={texts.requests.empty[tab]}>
        <a class="button" href="/dashboard/chat">
          {texts.shared.tryChat}
        </a>
      </Empty>
    )
  }
  return (
    <Empty text={texts.requests.emptyFilter}>
      <ShowAll filters={filterNames} />
    </Empty>
  )
}

/** Draws latency and rates of the last 24 hours. */
function Pictures() {
  const latency = useAnswer<HistoryOnPage>('/admin/api/history?series=latency&window=24h', { everyMs: 60_000 })
  const rates = useAnswer<HistoryOnPage>('/admin/api/history?series=rates&window=24h', { everyMs: 60_000 })
  const words = texts.requests
  return (
    <div class="charts">
      <Loaded answer={latency}>
        {(history) => (
          <Chart
            title={words.latency}
            unit="ms"
            history={lastHour(history)}
            lines={[
              { column: 'p50_ms', label: 'p50' },
              { column: 'p95_ms', label: 'p95' },
            ]}
          />
        )}
      </Loaded>
      <Loaded answer={rates}>
        {(history) => (
          <Chart
            title={words.load}
            unit={texts.overview.requestsUnit}
            history={lastHour(history)}
            lines={[
              { column: 'running', label: texts.overview.running },
              { column: 'waiting', label: texts.overview.waiting },
            ]}
          />
        )}
      </Loaded>
    </div>
  )
}

/** Returns the last hour of a history that has one row a minute. */
function lastHour(history: HistoryOnPage): HistoryOnPage {
  const rows = history.rows.slice(-60)
  const skippedMs = (history.rows.length - rows.length) * history.step_s * 1_000
  return { ...history, rows, from: new Date(Date.parse(history.from) + skippedMs).toISOString() }
}
