import { texts } from '../../texts/texts.ts'
import { type Column, Table } from '../table.tsx'
import { measures } from './measures.ts'
import { type Part, type Series, type Stack, stacksOf } from './stacks.ts'
import { todayText } from './usage-range.ts'
import type { ShownUsage } from './use-usage.ts'

/** Number of latest days with a label below them */
const namedDays = 7

/** Draws a bar from 0 for each UTC day, split by model, account or key, and the same as a table below. */
export function UsageChart({ chart, range: { days }, measure }: ShownUsage) {
  const words = texts.usage
  const { series, stacks, maximum, highest } = stacksOf(chart.rows, days, measure)
  const { tick } = measures[measure]
  const name = words.measures[measure]
  if (maximum === 0) return <p class="muted">{words.nothingOf(name)}</p>
  const today = todayText(Date.now())
  const hasToday = days.at(-1) === today
  return (
    <figure class="usage-chart card">
      <figcaption>
        <b>{words.chartTitle(name)}</b> <span class="muted">{words.chartDays(days[0] ?? '', days.at(-1) ?? '')}</span>
      </figcaption>
      <div class="plot" role="img" aria-label={words.chart(name, days.length, tick(highest))}>
        <div class="ticks">
          {[maximum, maximum / 2, 0].map((value) => (
            <span key={value}>{tickText(value)}</span>
          ))}
        </div>
        <div class="bars">
          {stacks.map((stack) => (
            <Bar key={stack.day} stack={stack} isUnfinished={stack.day === today} textOf={measures[measure].text} />
          ))}
        </div>
        <div class="days">
          {days.map((day, index) => (
            <span key={day} class={isSpare(days.length - 1 - index) ? 'spare' : undefined}>
              {dayName(day, days.length - 1 - index)}
            </span>
          ))}
        </div>
      </div>
      <ul class="legend">
        {series.map(({ id, name: label, colour, pattern }) => (
          <li key={id}>
            <span class={`swatch ${colour} pattern-${pattern}`} aria-hidden="true" /> {label}
          </li>
        ))}
        {hasToday && (
          <li class="muted">
            <span class="swatch unfinished" aria-hidden="true" /> {words.todayUnfinished}
          </li>
        )}
      </ul>
      <details>
        <summary>{texts.shared.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
        <div class="chart-tables" tabIndex={0}>
          <Table
            caption={words.chartTitle(name)}
            columns={[{ title: words.groups.day, cell: ({ day }: Stack) => day }, ...series.map(columnOf)]}
            rows={stacks.filter(({ parts }) => parts.length > 0).toReversed()}
            rowKey={({ day }) => day}
          />
        </div>
      </details>
    </figure>
  )

  /** Returns the label of a grid line. Empty for half a request. */
  function tickText(value: number): string {
    if (value === 0) return '0'
    return Number.isInteger(value) || measure === 'cost' || measure === 'audio' ? tick(value) : ''
  }

  function dayName(day: string, daysToGo: number): string {
    if (daysToGo % daysPerName() !== 0) return ''
    return day === today ? words.today : day.slice(5)
  }

  /** Returns whether a narrow chart has no room for the day's label. */
  function isSpare(daysToGo: number): boolean {
    return daysToGo % (2 * daysPerName()) !== 0
  }

  function daysPerName(): number {
    return Math.ceil(days.length / namedDays)
  }

  function columnOf(shown: Series): Column<Stack> {
    const rowOf = ({ parts }: Stack) => parts.find(({ series: { id } }) => id === shown.id)?.row
    if (measure === 'cost') return { title: shown.name, usd: (stack) => rowOf(stack)?.costUsd ?? null }
    const cell = (stack: Stack) => {
      const row = rowOf(stack)
      return row === undefined ? null : measures[measure].text(row)
    }
    return { title: shown.name, isNumber: true, cell }
  }
}

interface BarProps {
  readonly stack: Stack
  readonly isUnfinished: boolean
  readonly textOf: (row: Part['row']) => string
}

function Bar({ stack: { day, parts }, isUnfinished, textOf }: BarProps) {
  const lines = parts.map(({ series: { name }, row }) => `${name}: ${textOf(row)}`).toReversed()
  return (
    <div class="day-bar" title={[day, ...lines].join('\n')}>
      {parts.map(({ series: { id, colour, pattern }, height }) => (
        <span key={id} class={`${colour} pattern-${pattern}`} style={{ blockSize: `${height * 100}%` }} />
      ))}
      {isUnfinished && parts.length > 0 && <span class="unfinished" />}
    </div>
  )
}
