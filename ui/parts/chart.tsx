import { useEffect, useRef } from 'preact/hooks'
import type { HistoryOnPage } from '../../src/wire/pages/history.ts'
import { texts } from '../texts/texts.ts'
import { numberText } from './number-text.ts'
import { Table } from './table.tsx'
import { clockTime, exactTime } from './time-text.ts'

interface ChartLine {
  /** Name of a column of the history. */
  readonly column: string
  readonly label: string
}

interface ChartProps {
  readonly title: string
  readonly unit: string
  readonly history: HistoryOnPage
  readonly lines: readonly ChartLine[]
}

/** Most rows of the table below a chart, the newest */
const tableRows = 60

/**
 * Draws lines over time from 0, with a sentence and a table that say the same. The library is loaded with the first
 * chart.
 */
export function Chart({ title, unit, history, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const { from, step_s: stepSeconds, rows, columns } = history
  const beginMs = Date.parse(from)
  const series = lines.map(({ column, label }) => {
    const index = columns.findIndex(({ name }) => name === column)
    return { label, values: rows.map((row) => row?.[index] ?? null) }
  })

  useEffect(() => {
    let isWanted = true
    let remove: (() => void) | undefined
    void import('./draw-chart.ts').then(
      ({ drawChart }) => {
        if (!isWanted || place.current === null) return
        const times = rows.map((_, index) => beginMs / 1_000 + index * stepSeconds)
        remove = drawChart(place.current, { times, series, unit })
      },
      () => undefined, // Without a connection the library is missing, but the table has the same figures.
    )
    return () => {
      isWanted = false
      remove?.()
    }
  }, [history, unit])

  const last = rows.flatMap((row, index) => (row === null ? [] : [index])).slice(-tableRows)
  const timeOf = (index: number) => beginMs + index * stepSeconds * 1_000
  const cell = (value: number | null | undefined) => (value === null || value === undefined ? '' : numberText(value))
  return (
    <figure class="chart-figure">
      <figcaption>
        <b>{title}</b> <span class="muted">{unit}</span>
      </figcaption>
      <div class="chart" ref={place} role="img" aria-label={summary()} />
      <details>
        <summary>{texts.shared.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
        <div class="chart-tables" tabIndex={0}>
          <Table
            caption={title}
            columns={[
              {
                title: texts.shared.time,
                cell: (index: number) => <time title={exactTime(timeOf(index))}>{clockTime(timeOf(index))}</time>,
              },
              ...series.map(({ label, values }) => ({
                ...{ title: `${label}, ${unit}`, isNumber: true },
                cell: (index: number) => cell(values[index]),
              })),
            ]}
            rows={last.toReversed()}
            rowKey={String}
          />
        </div>
      </details>
    </figure>
  )

  function summary(): string {
    const parts = series.map(({ label, values }) => {
      const known = values.filter((value) => value !== null)
      return texts.shared.seriesText(label, cell(known.at(-1)), cell(Math.max(0, ...known)), unit)
    })
    return `${title}. ${parts.join(' ')}`
  }
}
