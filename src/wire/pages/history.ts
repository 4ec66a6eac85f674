/** Figures of the past, for charts. */
import { invalidValue } from '../check.ts'

const windows = ['10m', '24h', '30d'] as const
const kinds = ['rates', 'latency', 'engine'] as const

export interface HistoryQuery {
  readonly kind: (typeof kinds)[number]
  /** Of the kind `engine`. */
  readonly model: string | undefined
  readonly window: (typeof windows)[number]
}

/** `series=rates`, `series=latency`, `series=engine:org/name`. Throws ApiError 400. */
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

export interface HistoryRows {
  readonly window: string
  readonly stepMs: number
  readonly fromMs: number
  readonly columns: readonly { readonly name: string; readonly unit: string }[]
  readonly rows: readonly (readonly number[] | null)[]
  /** Of figures that are kept in memory: since when. */
  readonly sinceMs: number | undefined
}

export type HistoryOnPage = ReturnType<typeof toHistory>

/** `rows[i]` begins at `from + i * step_s`; null where nothing is known of that time. Its values stand as the columns do. */
export function toHistory({ window, stepMs, fromMs, columns, rows, sinceMs }: HistoryRows) {
  return {
    window,
    step_s: stepMs / 1000,
    from: new Date(fromMs).toISOString(),
    since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
    columns: columns.map(({ name, unit }) => ({ name: toSnakeCase(name), unit })),
    rows: rows.map((row) => row?.map((value) => Math.round(value * 100) / 100) ?? null),
  }
}

/** `outputTokensPerSecond` -> `output_tokens_per_s`: the words of the live figures. */
function toSnakeCase(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return words.replace(/_second$/, '_s').replace(/_minute$/, '_min')
}
