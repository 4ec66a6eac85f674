import type { Database } from 'bun:sqlite'

/** A part of a list that is read from its latest row on. */
export interface Page {
  /** Rows of the page. */
  readonly limit?: number | undefined
  /** Id of a row: the page has those that are older, in the order of the list. */
  readonly before?: string | undefined
}

export interface RowList {
  readonly table: string
  /** `SELECT … FROM …` of the table and what is joined to it. */
  readonly select: string
  /** Column that names a row. */
  readonly id?: string
  /** `rowid`: in the order of insertion, for tables whose id is their rowid. `created`: by time, equal ones as inserted. */
  readonly order: 'rowid' | 'created'
  /** Columns of the table with the value that they must have; undefined: any. */
  readonly where?: Readonly<Record<string, string | null | undefined>>
}

/** `before` names no row of the list. */
export class UnknownRowError extends Error {
  override name = 'UnknownRowError'
  readonly id: string

  constructor(id: string) {
    super(`no row "${id}"`)
    this.id = id
  }
}

const usualLimit = 100

/**
 * Rows of a list, the latest first. A page begins after a row, not after a number of rows, and no two rows have the same
 * place: pages neither lose nor repeat a row, whatever is added meanwhile. Throws UnknownRowError.
 */
export function latestRows<Row>(database: Database, list: RowList, { limit = usualLimit, before }: Page): Row[] {
  const { table, select, order, where = {} } = list
  const filters = Object.entries(where).filter(([, value]) => value !== undefined)
  const conditions = filters.map(([column]) => `${table}.${column} IS :${column}`)
  const place = order === 'rowid' ? [`${table}.rowid`] : [`${table}.created`, `${table}.rowid`]
  const start = before === undefined ? undefined : placeOf(database, list, before)
  if (start !== undefined) {
    conditions.push(order === 'rowid' ? `${place[0]} < :rowid` : `(${place.join(', ')}) < (:created, :rowid)`)
  }
  const condition = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const latestFirst = place.map((column) => `${column} DESC`).join(', ')
  return database
    .query<Row, [Record<string, string | number | null>]>(`${select} ${condition} ORDER BY ${latestFirst} LIMIT :limit`)
    .all({ ...Object.fromEntries(filters.map(([column, value]) => [column, value ?? null])), ...start, limit })
}

/** Where a row stands in the list. The row of an insertion order need not be there any more. */
function placeOf(database: Database, { table, id = 'id', order }: RowList, name: string): Record<string, number> {
  if (order === 'rowid') {
    if (!/^\d{1,16}$/.test(name)) throw new UnknownRowError(name)
    return { rowid: Number(name) }
  }
  const found = database
    .query<{ created: number; rowid: number }, [string]>(`SELECT created, rowid FROM ${table} WHERE ${id} = ?`)
    .get(name)
  if (found === null) throw new UnknownRowError(name)
  return found
}
