import type { Database } from 'bun:sqlite'
import { jsonIn } from '../core/json.ts'
import { type ExportedPart, type PersonalTable, type PersonalTableName, personalTables } from './personal-data.ts'

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

type Value = string | number | null

/** Part of a table, and the values of its order after which a page begins. Without values it begins with the part. */
interface Place {
  readonly part: number
  readonly values: readonly Value[]
}

/**
 * Returns a page of the rows of a table that belong to an account, with the columns that exports show. Each page
 * continues in an index, so its time depends on its rows alone. Throws UnknownPlaceError.
 */
export function exportRows(database: Database, { account, table, after, limit }: ExportPage): ExportedRows {
  const { rows, order = ['rowid'], held, shown }: PersonalTable = personalTables[table]
  const parts: readonly ExportedPart[] = [{ rows, order }, ...(held === undefined ? [] : [held])]
  const { part, values } = after === undefined ? { part: 0, values: [] } : placeOf(after, parts)
  const { rows: condition, order: columns } = parts[part] ?? { rows, order }
  const found = database
    .query<Record<string, Value>, [Record<string, Value>]>(pageSql({ table, condition, columns, shown, values }))
    .all({ account, limit, ...Object.fromEntries(values.map((value, at) => [`at${at}`, value])) })
  const last = found.length === limit ? found.at(-1) : undefined
  const next = last && [part, ...columns.map((_, at) => last[`at ${at}`])]
  const nextPart = part + 1 < parts.length ? [part + 1] : undefined
  return {
    rows: found.map((row) => Object.fromEntries(shown.map((column) => [column, row[column] ?? null]))),
    next: (next ?? nextPart) && JSON.stringify(next ?? nextPart),
  }
}

interface PageSql {
  readonly table: string
  readonly condition: string
  readonly columns: readonly string[]
  readonly shown: readonly string[]
  readonly values: readonly Value[]
}

function pageSql({ table, condition, columns, shown, values }: PageSql): string {
  const later =
    values.length === 0 ? '' : ` AND (${columns.join(', ')}) > (${values.map((_, at) => `:at${at}`).join(', ')})`
  const keys = columns.map((column, at) => `${column} AS "at ${at}"`)
  return `SELECT ${[...shown, ...keys].join(', ')} FROM ${table} WHERE (${condition})${later}
    ORDER BY ${columns.join(', ')} LIMIT :limit`
}

/** Error of an `after` that is no place of the table. */
export class UnknownPlaceError extends Error {
  override name = 'UnknownPlaceError'
}

function placeOf(text: string, parts: readonly ExportedPart[]): Place {
  const place = jsonIn(text)
  const [part, ...values]: readonly unknown[] = Array.isArray(place) ? place : []
  const columns = typeof part === 'number' ? parts[part]?.order : undefined
  const isPlace =
    columns !== undefined &&
    (values.length === 0 || values.length === columns.length) &&
    values.every((value) => /^(string|number)$/.test(typeof value))
  if (!isPlace) throw new UnknownPlaceError(`no place "${text}"`)
  return { part: part as number, values: values as Value[] } // checked above
}
