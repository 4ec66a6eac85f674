/** Usage: sums by day, model or key, and below them each request with its receipt. */
import type { RequestPage } from '../../../src/wire/pages/requests.ts'
import type { UsageReportBody } from '../../../src/wire/usage-report.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Chips } from '../../parts/chips.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { RequestTable } from '../../parts/request-table.tsx'
import { Select } from '../../parts/select.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { DayBars } from './day-bars.tsx'
import { ReceiptDialog } from './receipt-dialog.tsx'
import { type Grouping, SumTable } from './sum-table.tsx'

const ranges = ['1', '7', '30', '90'] as const
const groupings: readonly Grouping[] = ['day', 'model', 'key']
const dayMs = 24 * 60 * 60 * 1_000

export default function OwnUsage() {
  const { query } = place.value
  const range = ranges.find((days) => days === query.get('days')) ?? '30'
  const by = groupings.find((name) => name === query.get('by')) ?? 'day'
  const path = usagePath(by, Number(range), Date.now())
  const sums = useAnswer<UsageReportBody>(path)
  const receiptId = query.get('request')
  return (
    <Page title={texts.ownUsage.title} intro={texts.ownUsage.dayStarts(dayStart())}>
      <div class="stack">
        <div class="row filters">
          <Select
            label={texts.ownUsage.range}
            value={range}
            choices={texts.ownUsage.ranges}
            onChange={(days) => setQuery({ days })}
          />
          <Select
            label={texts.ownUsage.by}
            value={by}
            choices={texts.ownUsage.groups}
            onChange={(chosen) => setQuery({ by: chosen })}
          />
          <a class="button" download href={`${path}&format=csv`}>
            <Icon name="download" /> {texts.ownUsage.csv}
          </a>
        </div>
        <Loaded answer={sums} lines={6}>
          {(report) =>
            report.data.length === 0 ? (
              <Empty text={texts.ownUsage.empty} />
            ) : (
              <div class="stack">
                {report.by[0] === 'day' && <DayBars rows={report.data} days={Number(range)} />}
                <SumTable report={report} />
              </div>
            )
          }
        </Loaded>
        <Requests />
      </div>
      {receiptId !== null && <ReceiptDialog requestId={receiptId} onClose={() => setQuery({ request: undefined })} />}
    </Page>
  )
}

/** Requests, the latest first: all of them, or those that failed. */
function Requests() {
  const filter = place.value.query.get('requests') === 'failed' ? 'failed' : 'all'
  const { limit, before } = pageQuery()
  const query = new URLSearchParams({ limit: String(limit) })
  if (before !== undefined) query.set('before', before)
  if (filter === 'failed') query.set('failed', 'true')
  const answer = useAnswer<RequestPage>(`/dashboard/api/requests?${query}`)
  return (
    <section class="stack">
      <div class="row">
        <h2 class="space">{texts.ownUsage.requestsTitle}</h2>
        <Chips
          label={texts.ownUsage.filter}
          value={filter}
          choices={texts.ownUsage.filters}
          onChange={(requests) => setQuery({ requests: requests === 'all' ? undefined : requests, before: undefined })}
        />
      </div>
      <Loaded answer={answer} lines={6}>
        {({ data }) => (
          <div class="stack">
            {data.length === 0 ? <Empty text={texts.ownUsage.noRequests} /> : <RequestTable rows={shownRows(data)} />}
            <Pager rows={data} idOf={({ request_id: id }) => id} />
          </div>
        )}
      </Loaded>
    </section>
  )
}

/** Sums of so many UTC days, of which the present one is the last. */
export function usagePath(by: Grouping, days: number, nowMs: number): string {
  const from = new Date(nowMs - (days - 1) * dayMs).toISOString().slice(0, 10)
  const limit = by === 'day' ? '' : '&limit=100'
  return `/dashboard/api/usage?by=${by}&from=${from}${limit}`
}

/** "01:00": when a UTC day starts for the reader. */
function dayStart(): string {
  const today = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`)
  return today.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}
