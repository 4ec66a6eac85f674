/** Usage: who used what and what it cost, by day, model, account or key. */
import { useResult } from '../../api/operation.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Select } from '../../parts/select.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import type { Measure, Report } from './measures.ts'
import { StackedDays } from './stacked-days.tsx'
import { usageCsv } from './usage-csv.ts'
import { rangeNames, rangeOf } from './usage-range.ts'
import { UsageTable } from './usage-table.tsx'

type Grouping = keyof typeof texts.usage.groups

const tableRows = 100
const chartSeries = 5

export default function AdminUsage() {
  const words = texts.usage
  const { query } = place.value
  const chosen = query.get('range')
  const range = rangeNames.find((name) => name === chosen) ?? 'month'
  const by = chosenOf(Object.keys(words.groups) as Grouping[], query.get('by')) ?? 'model'
  const measure = chosenOf(Object.keys(words.measures) as Measure[], query.get('measure')) ?? 'cost'
  const { fromMs, toMs, days } = rangeOf(range, Date.now())
  const table = useResult('usage-report', { by: [by], fromMs, toMs, limit: tableRows })
  const series = by === 'day' ? 'model' : by
  const chart = useResult('usage-report', { by: ['day', series], fromMs, toMs, limit: chartSeries })

  return (
    <Page title={words.title} intro={words.dayStarts(dayStart())}>
      <div class="stack">
        <div class="toolbar usage-tools">
          <Select
            label={words.range}
            value={range}
            choices={words.ranges}
            onChange={(next) => setQuery({ range: next })}
          />
          <Select label={words.by} value={by} choices={words.groups} onChange={(next) => setQuery({ by: next })} />
          <Select
            label={words.measure}
            value={measure}
            choices={words.measures}
            onChange={(next) => setQuery({ measure: next })}
          />
          <button type="button" disabled={table.data === undefined} onClick={() => download(by, table.data)}>
            <Icon name="download" /> {words.csv}
          </button>
        </div>
        <Loaded answer={table} lines={8}>
          {(report) =>
            report.rows.length === 0 ? (
              <Empty text={words.empty} />
            ) : (
              <div class="stack">
                {chart.data !== undefined && <StackedDays rows={chart.data.rows} days={days} measure={measure} />}
                <UsageTable report={report} group={words.groups[by]} />
              </div>
            )
          }
        </Loaded>
      </div>
    </Page>
  )
}

function chosenOf<Name extends string>(names: readonly Name[], text: string | null): Name | undefined {
  return names.find((name) => name === text)
}

/** When a UTC day begins for the reader. */
function dayStart(): string {
  const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0))
  return midnight.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

function download(by: string, report: Report | undefined): void {
  if (report === undefined) return
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([usageCsv(by, report)], { type: 'text/csv' }))
  link.download = 'usage.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}
