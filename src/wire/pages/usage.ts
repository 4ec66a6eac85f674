/** The query of usage on the pages of an account; its answer is `wire/usage-report.ts`. */
import { type UsageGrouping, usageMeasures } from '../../core/usage.ts'
import { invalidValue } from '../check.ts'
import { parseGroupings } from '../usage-report.ts'
import { oneOf, text, time, wholeNumber } from './query.ts'

const maximumRows = 100

export function parseUsageQuery(query: URLSearchParams) {
  return {
    by: groupings(query),
    measure: oneOf(query, 'measure', usageMeasures),
    fromMs: time(query, 'from'),
    toMs: time(query, 'to'),
    model: text(query, 'model'),
    key: text(query, 'key'),
    /** Models or keys with rows of their own. */
    limit: wholeNumber(query, 'limit', maximumRows) ?? maximumRows,
  }
}

/** Parses the groupings. Those by account are refused: an account sees only itself. */
function groupings(query: URLSearchParams): UsageGrouping[] {
  const by = parseGroupings(query.get('by') ?? 'day')
  if (by === undefined || by.includes('account')) throw invalidValue('by', 'day, model or key, or two of them')
  return by
}
