import type { OwnRow } from '../../api/own-operation.ts'
import { moneyText } from '../../parts/money-text.ts'
import { Table } from '../../parts/table.tsx'
import { texts } from '../../texts/texts.ts'

type Day = OwnRow<'statement-days'>

const width = 900
const height = 160

/** Draws the balance at the end of each day as a step line from 0, with the same as a table below. */
export function BalanceChart({ days }: { readonly days: readonly Day[] }) {
  // Numbers are exact enough for lines, and no figure is computed from them.
  const balances = days.map(({ balanceUsd }) => Number(balanceUsd))
  const greatest = balances.indexOf(Math.max(...balances))
  const maximum = days[greatest]?.balanceUsd ?? '0'
  const additions = days.flatMap(({ addedUsd }, index) => (Number(addedUsd) > 0 ? [index] : []))
  const now = days.at(-1)?.balanceUsd ?? '0'
  const label = texts.billing.chartLabel(moneyText(now).text, moneyText(maximum).text, additions.length)
  const step = width / Math.max(1, days.length)
  return (
    <>
      <figure class="balance-chart">
        <figcaption class="row muted">
          <span class="space" />
          {additions.length > 0 && <span class="added-mark">{texts.billing.chartAdded}</span>}
        </figcaption>
        <div class="ticks" aria-hidden="true">
          <span>{moneyText(maximum).text}</span>
          <span>0</span>
        </div>
        <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
          <title>{label}</title>
          {additions.map((index) => (
            <line key={index} class="added" x1={(index + 0.5) * step} x2={(index + 0.5) * step} y1={0} y2={height} />
          ))}
          <path d={stepLine(balances, step)} />
        </svg>
        <div class="row muted days" aria-hidden="true">
          <span class="space">{days[0]?.day}</span>
          <span>{texts.billing.today}</span>
        </div>
      </figure>
      <DayTable days={days} />
    </>
  )
}

/** Returns a step line in the picture's own units. */
function stepLine(balances: readonly number[], step: number): string {
  const maximum = Math.max(...balances, Number.MIN_VALUE)
  const heights = balances.map((balance) => Math.round(height * (1 - Math.max(0, balance) / maximum) * 10) / 10)
  const parts = heights.map((y, index) => `V${y}H${Math.round((index + 1) * step * 10) / 10}`)
  return `M0,${heights[0] ?? height}${parts.join('')}`
}

/** Lists the days with changes, the latest first. */
function DayTable({ days }: { readonly days: readonly Day[] }) {
  const { chartColumns: titles } = texts.billing
  const moved = days.filter(
    ({ balanceUsd, addedUsd }, index) => balanceUsd !== (days[index - 1]?.balanceUsd ?? '0') || Number(addedUsd) > 0,
  )
  return (
    <details>
      <summary>{texts.billing.chartTable}</summary>
      <Table
        caption={texts.billing.chartTitle}
        columns={[
          { title: titles.day, cell: ({ day }: Day) => day },
          { title: titles.balance, usd: ({ balanceUsd }: Day) => balanceUsd },
          { title: titles.added, usd: ({ addedUsd }: Day) => (Number(addedUsd) > 0 ? addedUsd : null) },
        ]}
        rows={moved.toReversed()}
        rowKey={({ day }) => day}
      />
    </details>
  )
}
