import type { UsageReportRow } from '../../../src/wire/usage-report.ts'
import { moneyText } from '../../parts/money-text.ts'
import { texts } from '../../texts/texts.ts'

interface DayBarsProps {
  /** One a day; days without use have none. */
  readonly rows: readonly UsageReportRow[]
  readonly days: number
}

const width = 900
const height = 120
const dayMs = 24 * 60 * 60 * 1_000

/** The cost of each UTC day as a bar from 0; the table below it has the figures. */
export function DayBars({ rows, days }: DayBarsProps) {
  const names = Array.from({ length: days }, (_, index) =>
    new Date(Date.now() - (days - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
  const costs = new Map(rows.map((row) => [row.day, row.cost_usd]))
  // Numbers are good enough for bars: no figure is computed from them.
  const values = names.map((day) => Number(costs.get(day) ?? 0))
  const maximum = Math.max(...values)
  const greatest = costs.get(names[values.indexOf(maximum)]) ?? '0'
  const label = texts.ownUsage.chart(days, moneyText(greatest).text)
  const step = width / days
  return (
    <figure class="day-bars">
      <figcaption class="muted">{moneyText(greatest).text}</figcaption>
      <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
        <title>{label}</title>
        {values.map((value, index) => {
          const tall = maximum === 0 ? 0 : (value / maximum) * height
          return <rect key={names[index]} x={index * step} width={step * 0.8} y={height - tall} height={tall} />
        })}
      </svg>
      <div class="row muted" aria-hidden="true">
        <span class="space">{days > 1 ? names[0] : ''}</span>
        <span>{texts.billing.today}</span>
      </div>
    </figure>
  )
}
