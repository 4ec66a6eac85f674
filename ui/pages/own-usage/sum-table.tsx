import type { UsageReportBody, UsageReportRow, UsageSums } from '../../../src/wire/usage-report.ts'
import { Money } from '../../parts/money.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { durationText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

export type Grouping = 'day' | 'model' | 'key'

const { columns: titles, groups } = texts.ownUsage

/** Sums as the server made them, and their total, which is the server's as well. Kinds of use that there were none of are left out. */
export function SumTable({ report }: { readonly report: UsageReportBody }) {
  const by: Grouping = report.by[0] === 'model' || report.by[0] === 'key' ? report.by[0] : 'day'
  const { total } = report
  const first: Column<UsageReportRow> = { title: groups[by], cell: (row) => nameOf(by, row) }
  const columns = [first, ...figures.filter(({ isUsed }) => isUsed(total)).map(({ column }) => column)]
  const last: UsageReportRow = { ...total, [by]: totalName, key_name: texts.ownUsage.total }
  const rows = by === 'day' ? report.data.toReversed() : report.data
  return (
    <Table caption={texts.ownUsage.caption} columns={columns} rows={[last, ...rows]} rowKey={(row) => row[by] ?? ''} />
  )
}

const totalName = 'total'

function nameOf(by: Grouping, row: UsageReportRow) {
  if (row[by] === totalName) return <b>{texts.ownUsage.total}</b>
  if (row[by] === '') return texts.ownUsage.others
  if (by === 'key') return row.key_name ?? row.key
  const isToday = by === 'day' && row.day === new Date().toISOString().slice(0, 10)
  return isToday ? (
    <>
      {row.day} <span class="muted">{texts.ownUsage.unfinished}</span>
    </>
  ) : (
    row[by]
  )
}

interface Figure {
  readonly isUsed: (total: UsageSums) => boolean
  readonly column: Column<UsageReportRow>
}

const figures: readonly Figure[] = [
  count(titles.requests, 'requests'),
  count(titles.in, 'prompt_tokens'),
  count(titles.cached, 'cached_tokens'),
  count(titles.out, 'completion_tokens'),
  count(titles.characters, 'characters'),
  {
    isUsed: (total) => total.audio_seconds > 0,
    column: {
      title: titles.audio,
      isNumber: true,
      cell: ({ audio_seconds: seconds }) => (seconds === 0 ? null : durationText(seconds * 1_000)),
    },
  },
  { isUsed: () => true, column: { title: titles.cost, isNumber: true, cell: (row) => <Money usd={row.cost_usd} /> } },
  {
    isUsed: (total) => total.cost_usd !== total.charged_usd,
    column: { title: titles.charged, isNumber: true, cell: (row) => <Money usd={row.charged_usd} /> },
  },
]

function count(
  title: string,
  field: 'requests' | 'prompt_tokens' | 'cached_tokens' | 'completion_tokens' | 'characters',
): Figure {
  return {
    isUsed: (total) => total[field] > 0,
    column: { title, isNumber: true, cell: (row) => row[field].toLocaleString('en') },
  }
}
