/** Past figures for charts. */
import { invalidValue } from '../check.ts'
import { toTime } from './time.ts'

const windows = ['10m', '24h', '30d'] as const
const kinds = ['rates', 'latency', 'engine'] as const

interface HistoryQuery {
  readonly kind: (typeof kinds)[number]
  /** Model of a series of the kind `engine`. */
  readonly model: string | undefined
  readonly window: (typeof windows)[number]
}

/** Parses `series=rates`, `series=latency` or `series=engine:org/name`. Throws ApiError 400. */
export function parseHistoryQuery(query: URLSearchParams): HistoryQuery {
  const series = query.get('series') ?? 'rates'
  const [, name, model] = /^([a-z]+)(?::(.{1,200}))?$/.exec(series) ?? []
  const kind = kinds.find((each) => each === name)
  if (kind === undefined || (kind === 'engine') !== (model !== undefined)) {
    throw invalidValue('series', "'rates', 'latency', or 'engine:' with the id of a model")
  }
  const window = windows.find((each) => each === (query.get('window') ?? '10m'))
  if (window === undefined) throw invalidValue('window', `one of ${windows.join(', ')}`)
  return { kind, model, window }
}

interface HistoryRows {
  readonly window: string
  readonly stepMs: number
  readonly fromMs: number
  readonly columns: readonly { readonly name: string; readonly unit: string }[]
  readonly rows: readonly (readonly number[] | null)[]
  /** Time since which figures kept in memory exist. */
  readonly sinceMs: number | undefined
}

export type HistoryOnPage = ReturnType<typeof toHistory>

/**
 * Returns the history. `rows[i]` begins at `from + i * step_s`; null marks times without data. Values have the order of
 * `columns`.
 */
export function toHistory({ window, stepMs, fromMs, columns, rows, sinceMs }: HistoryRows) {
  return {
    window,
    step_s: stepMs / 1000,
    from: toTime(fromMs),
    since: sinceMs === undefined ? null : toTime(sinceMs),
    columns: columns.map(({ name, unit }) => ({ name: toSnakeCase(name), unit })),
    rows: rows.map((row) => row?.map((value) => Math.round(value * 100) / 100) ?? null),
  }
}

/** Returns the field name of the live figures: `outputTokensPerSecond` -> `output_tokens_per_s`. */
function toSnakeCase(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return words.replace(/_second$/, '_s').replace(/_minute$/, '_min')
}
