/** Parameters of the queries of pages. Each throws ApiError 400 `invalid_value` for what it cannot read. */
import { invalidValue } from '../check.ts'

/** Reads the page of a list: up to `limit` rows before the row with the id `before`. */
export function readPage(query: URLSearchParams, maximum: number): { limit: number; before: string | undefined } {
  return { limit: wholeNumber(query, 'limit', maximum) ?? Math.min(100, maximum), before: text(query, 'before') }
}

/** Returns a page. One more row than the page has tells whether others follow. */
export function pageOf<Row>(rows: readonly Row[], limit: number): { readonly data: readonly Row[]; has_more: boolean } {
  return { data: rows.slice(0, limit), has_more: rows.length > limit }
}

/** Returns a choice. A missing parameter means the first one. */
export function oneOf<const Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = query.get(name) ?? choices[0]
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw invalidValue(name, `one of ${choices.join(', ')}`)
  return found
}

const maximumTextLength = 200

/** Returns a parameter; undefined if it is absent or empty. */
export function text(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name)
  if (value === null || value === '') return undefined
  if (value.length > maximumTextLength) throw invalidValue(name, `of at most ${maximumTextLength} characters`)
  return value
}

/** Parses a day, or a moment with its zone: 2026-11-20, 2026-11-20T12:00:00Z. */
export function time(query: URLSearchParams, name: string): number | undefined {
  const value = text(query, name)
  if (value === undefined) return undefined
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(value)
    ? Date.parse(value)
    : Number.NaN
  if (Number.isNaN(ms)) throw invalidValue(name, 'a day such as 2026-11-20, or a time such as 2026-11-20T12:00:00Z')
  return ms
}

export interface Month {
  /** `YYYY-MM`. */
  readonly name: string
  /** Its first millisecond, UTC. */
  readonly fromMs: number
  /** That of the next month. */
  readonly toMs: number
}

/** Parses a month UTC: 2026-11. */
export function month(query: URLSearchParams, name: string): Month | undefined {
  const value = text(query, name)
  if (value === undefined) return undefined
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(value) ?? []
  if (year === undefined) throw invalidValue(name, 'a month such as 2026-11')
  // `Date.UTC` takes years below 100 for those of the last century.
  const fromMs = Date.parse(`${value}-01T00:00:00Z`)
  const start = new Date(fromMs)
  start.setUTCMonth(Number(number))
  return { name: value, fromMs, toMs: start.getTime() }
}

export function wholeNumber(query: URLSearchParams, name: string, maximum: number): number | undefined {
  const value = text(query, name)
  if (value === undefined) return undefined
  const number = /^\d{1,16}$/.test(value) ? Number(value) : 0
  if (number < 1 || number > maximum) throw invalidValue(name, `a whole number from 1 to ${maximum}`)
  return number
}

export function toTime(ms: number): string
export function toTime(ms: number | undefined): string | null
export function toTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
