/** Data of the usage chart: a bar per day, split by model, key or account. Pure. */
import { seriesOf } from '../series.ts'
import { type Grouping, type Measure, measures, nameOf, type Row } from './measures.ts'

export interface Series {
  readonly id: string
  /** Name that is unique among the series. */
  readonly name: string
  /** CSS class of the colour. The series of all others has a ninth. */
  readonly colour: string
  /** Number of earlier series of the same colour. Parts of one colour differ by their pattern. */
  readonly pattern: number
}

export interface Part {
  readonly series: Series
  readonly row: Row
  /** Share of the chart's height, 0 to 1. */
  readonly height: number
}

export interface Stack {
  readonly day: string
  /** Parts from the bottom up. */
  readonly parts: readonly Part[]
}

interface Stacks {
  /** Series from the largest to the smallest, the others last. */
  readonly series: readonly Series[]
  readonly stacks: readonly Stack[]
  /** Value at the top of the chart. 0 means nothing to draw. */
  readonly maximum: number
  /** Value of the highest bar. */
  readonly highest: number
}

/** Returns the bars of `rows`, which are by day and a second grouping. */
export function stacksOf(rows: readonly Row[], days: readonly string[], measure: Measure): Stacks {
  const { size } = measures[measure]
  const series = seriesOfRows(rows, size)
  const byDay = Map.groupBy(rows, ({ groups }) => groups[0]?.id ?? '')
  const highest = Math.max(0, ...[...byDay.values()].map((ofDay) => sum(ofDay.map(size))))
  const maximum = roundUp(highest)
  const stacks = days.map((day) => {
    const ofDay = byDay.get(day) ?? []
    const parts = series.flatMap((shown) =>
      ofDay
        .filter((row) => groupOf(row)?.id === shown.id && size(row) > 0)
        .map((row) => ({ series: shown, row, height: size(row) / maximum })),
    )
    return { day, parts }
  })
  return { series, stacks, maximum, highest }
}

/** Returns the series of the rows. A model has the same colour on all pages; keys and accounts take colours in turn. */
function seriesOfRows(rows: readonly Row[], size: (row: Row) => number): readonly Series[] {
  const byId = [...Map.groupBy(rows, (row) => groupOf(row)?.id ?? '')]
  const ordered = byId
    .map(([id, ofId]) => ({ id, group: groupOf(ofId[0]), total: sum(ofId.map(size)) }))
    .filter(({ total }) => total > 0)
    .sort((one, other) => Number(one.id === '') - Number(other.id === '') || other.total - one.total)
  const names = ordered.map(({ group }) => (group === undefined ? '' : nameOf(group)))
  const colours = ordered.map(({ id, group }, index) => colourOf(group?.by, id, index))
  return ordered.map(({ id }, index) => {
    const name = names[index] ?? ''
    const isOnly = names.indexOf(name) === names.lastIndexOf(name)
    const colour = colours[index] ?? ''
    const pattern = colours.slice(0, index).filter((before) => before === colour).length
    return { id, name: isOnly ? name : `${name} (${id})`, colour, pattern }
  })
}

function colourOf(by: Grouping | undefined, id: string, index: number): string {
  if (id === '') return 'series-rest'
  return `series-${by === 'model' ? seriesOf(id) : (index % 8) + 1}`
}

function groupOf(row: Row | undefined) {
  return row?.groups.at(-1)
}

function sum(values: readonly number[]): number {
  return values.reduce((before, value) => before + value, 0)
}

/** Returns the next round number, for a top of the chart that is easy to read, like its half. */
export function roundUp(value: number): number {
  if (value <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((factor) => value <= factor * power * (1 + 1e-9)) ?? 10
  return step * power
}
