import type { Database } from 'bun:sqlite'
import { type PersonalTable, type PersonalTableName, personalTables } from './personal-data.ts'

/** Names of the tables of an export, in order. */
export const exportTables = Object.keys(personalTables) as PersonalTableName[] // Object.keys forgets the key type

export interface ExportPage {
  readonly account: string
  readonly table: PersonalTableName
  /** `next` of the page before. Undefined for the first page. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface ExportedRows {
  readonly rows: readonly Readonly<Record<string, string | number | null>>[]
  /** Place at which the next page begins. Undefined after the last row. */
  readonly next: string | undefined
}

type Place = readonly (string | number)[]
type Value = string | number | null

/**
 * Returns a page of the rows of a table that belong to an account, with the columns that exports show. Each page
 * continues in an index, so its time depends on its rows alone. Throws an error if `after` is no place of the table.
 */
export function exportRows(database: Database, { account, table, after, limit }: ExportPage): ExportedRows {
  const { rows: condition, shown, order = ['rowid'] }: PersonalTable = personalTables[table]
  const place = after === undefined ? undefined : placeOf(after, order.length)
  const later =
    place === undefined ? '' : ` AND (${order.join(', ')}) > (${order.map((_, at) => `:at${at}`).join(', ')})`
  const keys = order.map((column, at) => `${column} AS "at ${at}"`)
  const sql = `SELECT ${[...shown, ...keys].join(', ')} FROM ${table} WHERE (${condition})${later}
    ORDER BY ${order.join(', ')} LIMIT :limit`
  const places = Object.fromEntries((place ?? []).map((value, at) => [`at${at}`, value]))
  const found = database.query<Record<string, Value>, [Record<string, Value>]>(sql).all({ account, limit, ...places })
  const last = found.at(-1)
  const next = last !== undefined && found.length === limit ? order.map((_, at) => last[`at ${at}`]) : undefined
  return {
    rows: found.map((row) => Object.fromEntries(shown.map((column) => [column, row[column] ?? null]))),
    next: next && JSON.stringify(next),
  }
}

function placeOf(text: string, length: number): Place {
  const place: unknown = JSON.parse(text)
  const isPlace =
    Array.isArray(place) && place.length === length && place.every((value) => /^(string|number)$/.test(typeof value))
  if (!isPlace) throw new Error(`no place "${text}"`)
  return place
}
