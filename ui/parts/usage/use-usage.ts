/** Usage that the address asks for. */
import type { OperationInput } from '../../../src/operations/operations.ts'
import { type Answer, useLoaded } from '../../api/use-answer.ts'
import { place } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import type { Grouping, Measure, Report } from './measures.ts'
import { type Range, rangeOf } from './usage-range.ts'

type UsageQuery = OperationInput<'usage-report'>

export interface UsageView {
  readonly range: Range
  readonly by: Grouping
  readonly measure: Measure
}

/** Usage of one view, which stays shown while the next one loads. */
export interface ShownUsage extends UsageView {
  /** Report by the view's grouping */
  readonly table: Report
  /** Report by day and the view's grouping. If that is the day, the report is split by model. */
  readonly chart: Report
}

const tableRows = 100
const chartSeries = 5
const refreshMs = 60_000
const measureNames = Object.keys(texts.usage.measures) as Measure[]

/** Returns the view that the address names. Defaults to the first grouping and the cost. */
export function usageView(groupings: readonly [Grouping, ...Grouping[]]): UsageView {
  const { query } = place.value
  const range = rangeOf(query, Date.now())
  const by = groupings.find((name) => name === query.get('by')) ?? groupings[0]
  const measure = measureNames.find((name) => name === query.get('measure')) ?? 'cost'
  return { range, by, measure }
}

/** Returns the usage of a view. Each query also has the fields of `filter`. */
export function useUsage(
  view: UsageView,
  load: (query: UsageQuery, signal: AbortSignal) => Promise<Report>,
  filter: Pick<UsageQuery, 'model' | 'key' | 'account'> = {},
): Answer<ShownUsage> {
  const { by, measure, range } = view
  const series = by === 'day' ? 'model' : by
  const wanted = { ...filter, measure, fromMs: range.fromMs, toMs: range.toMs }
  const loadBoth = async (signal: AbortSignal) => {
    const [table, chart] = await Promise.all([
      load({ ...wanted, by: [by], limit: tableRows }, signal),
      load({ ...wanted, by: ['day', series], limit: chartSeries }, signal),
    ])
    return { ...view, table, chart }
  }
  return useLoaded(JSON.stringify([by, wanted]), loadBoth, { everyMs: refreshMs })
}
