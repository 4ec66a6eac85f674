import { texts } from '../../texts/texts.ts'
import { type Measure, measures, nameOf, type Row } from './measures.ts'

interface StackedDaysProps {
  /** By day and something else; the first group is the day. */
  readonly rows: readonly Row[]
  readonly days: readonly string[]
  readonly measure: Measure
}

const width = 960
const height = 160
const seriesCount = 8

/** A bar for each UTC day from 0, in parts of one colour for each model, account or key. */
export function StackedDays({ rows, days, measure }: StackedDaysProps) {
  const { size, text } = measures[measure]
  const names = [...new Set(rows.map(nameOf))]
  const sums = new Map<string, number>()
  const bars = rows.map((row) => {
    const day = row.groups[0]?.id ?? ''
    const from = sums.get(day) ?? 0
    sums.set(day, from + size(row))
    return { day, from, size: size(row), series: names.indexOf(nameOf(row)) % seriesCount, name: nameOf(row) }
  })
  const maximum = Math.max(0, ...sums.values())
  const scale = maximum === 0 ? 0 : height / maximum
  const step = width / days.length
  const label = texts.usage.chart(texts.usage.measures[measure], days.length, text(maximum))
  return (
    <figure class="stacked-days card">
      <figcaption class="muted">{text(maximum)}</figcaption>
      <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
        <title>{label}</title>
        {bars.map((bar) => (
          <rect
            key={`${bar.day} ${bar.name}`}
            class={`series-${bar.series + 1}`}
            x={(days.indexOf(bar.day) + 0.1) * step}
            width={Math.min(step * 0.8, width / 8)}
            y={height - (bar.from + bar.size) * scale}
            height={bar.size * scale}
          />
        ))}
      </svg>
      <div class="days muted" aria-hidden="true">
        <span>{days[0]}</span>
        {days.length > 1 && <span>{days.at(-1)}</span>}
      </div>
      <ul class="legend">
        {names.map((name, index) => (
          <li key={name}>
            <svg class={`swatch series-${(index % seriesCount) + 1}`} viewBox="0 0 10 10" aria-hidden="true">
              <rect width="10" height="10" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </figure>
  )
}
