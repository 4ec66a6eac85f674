/** Reads rows in the form of the rest of the program: fields in camel case, undefined for NULL. */
import type { Database } from 'bun:sqlite'
import type { NewId } from '../core/ids.ts'

/** Database, ids and clock of every store. */
export interface StoreOptions {
  readonly database: Database
  readonly newId: NewId
  /** Milliseconds UTC. */
  readonly clock: () => number
}

/** Reads and writes the rows of one subject. Writes belong in a transaction. */
export class Store {
  protected readonly database: Database
  protected readonly newId: NewId
  protected readonly clock: () => number

  constructor({ database, newId, clock }: StoreOptions) {
    this.database = database
    this.newId = newId
    this.clock = clock
  }

  /** Runs a statement that writes, and returns the number of changed rows. */
  protected write(sql: string, values: Loose): number {
    return this.database.query<unknown, [Bindings]>(sql).run(bound(values)).changes
  }

  /** Returns the first row of a query; undefined if there is none. */
  protected first<Row>(sql: string, values: Loose = {}): Row | undefined {
    return this.database.query<Row, [Bindings]>(sql).get(bound(values)) ?? undefined
  }

  /** Returns all rows of a query. */
  protected all<Row>(sql: string, values: Loose = {}): Row[] {
    return this.database.query<Row, [Bindings]>(sql).all(bound(values))
  }
}

/** Values of the named parameters of a statement. */
export type Bindings = Record<string, string | number | boolean | Uint8Array | null>
type Loose = Readonly<Record<string, Bindings[string] | undefined>>

/** Returns the values in Bun's type, which does not know that undefined is bound as NULL. */
export function bound(values: Loose): Bindings {
  return values as Bindings
}

interface RowSource {
  readonly table: string
  /** Columns in SQL, named as the row's fields: `account_id AS accountId`. */
  readonly columns: string
  /** Table with its joins. Defaults to the table alone. */
  readonly from?: string
  /** Column that identifies a row. Defaults to `id`. */
  readonly id?: string
  /** Order of lists. `rowid`: by insertion, for tables whose id is the rowid. `created`: by time, then by insertion. */
  readonly order: 'rowid' | 'created'
}

/** Columns of the table with their required values. Undefined allows any. */
export type RowFilter = Readonly<Record<string, string | Uint8Array | null | undefined>>

/** Conditions that rows of a list fulfil. */
interface Selection {
  readonly filter?: RowFilter
  /** Conditions in SQL, with full names of columns. */
  readonly conditions?: readonly string[]
  /** Values of the parameters in the conditions and in the source's columns. */
  readonly values?: Bindings
}

/** Returns the row that a filter matches. */
export function findRow<Row extends object>(database: Database, source: RowSource, filter: RowFilter): Row | undefined {
  const { conditions, values } = conditionsOf(source, filter)
  const row = database.query<Row, [Bindings]>(select(source, conditions)).get(values)
  return row === null ? undefined : withoutNulls(row)
}

/** Part of a list, which begins with the latest rows. */
export interface Page {
  /** Rows of the page. */
  readonly limit?: number | undefined
  /** Id of a row. The page has only older rows, in the order of the list. */
  readonly before?: string | undefined
}

/** Page of a list, of one account if given. */
export interface AccountPage extends Page {
  readonly accountId?: string | undefined
}

const usualLimit = 100

/**
 * Returns rows of a list, the latest first. A page begins after a row instead of a number of rows, and each row has a
 * unique place, so pages neither skip nor repeat rows when others are added. Throws UnknownRowError.
 */
export function latestRows<Row extends object>(
  database: Database,
  source: RowSource,
  { limit = usualLimit, before, filter = {}, conditions: others = [], values: ofOthers = {} }: Page & Selection,
): Row[] {
  const { table, order } = source
  const filtered = conditionsOf(source, filter)
  const [conditions, values] = [[...others, ...filtered.conditions], { ...ofOthers, ...filtered.values }]
  const isByTime = order === 'created'
  const place = isByTime ? [`${table}.created`, `${table}.rowid`] : [`${table}.rowid`]
  const start = before === undefined ? undefined : placeOf(database, source, { name: before, filter })
  if (start !== undefined) conditions.push(`(${place.join(', ')}) < (${isByTime ? ':created, ' : ''}:rowid)`)
  const latestFirst = place.map((column) => `${column} DESC`).join(', ')
  const sql = `${select(source, conditions)} ORDER BY ${latestFirst} LIMIT :limit`
  const rows = database.query<Row, [Bindings]>(sql).all({ ...values, ...start, limit })
  return rows.map(withoutNulls)
}

/** Error of a `before` that is no row of the list. */
export class UnknownRowError extends Error {
  override name = 'UnknownRowError'
  readonly id: string

  constructor(id: string) {
    super(`no row "${id}"`)
    this.id = id
  }
}

/**
 * Returns the place of a row in its list. In a list by insertion the row may be deleted. Else it must exist and belong
 * to the list's account, but other conditions do not matter: a key revoked meanwhile still begins the next page.
 */
function placeOf(
  database: Database,
  { table, id = 'id', order }: RowSource,
  { name, filter: { account_id: account } }: { readonly name: string; readonly filter: RowFilter },
): Bindings {
  if (order === 'rowid') {
    if (!/^\d{1,16}$/.test(name)) throw new UnknownRowError(name)
    return { rowid: Number(name) }
  }
  // `AS rowid`, since SQLite would name the column after an id that is the rowid.
  const sql = `SELECT created, rowid AS rowid FROM ${table} WHERE ${id} = :name${account === undefined ? '' : ' AND account_id = :account'}`
  const values = bound({ name, ...(account !== undefined && { account }) })
  const found = database.query<{ created: number; rowid: number }, [Bindings]>(sql).get(values)
  if (found === null) throw new UnknownRowError(name)
  return found
}

/**
 * Returns SQL conditions. Avoids `IS :value`, which would match NULL too and thus not use indexes of rows with a value.
 */
function conditionsOf({ table }: RowSource, filter: RowFilter): { conditions: string[]; values: Bindings } {
  const conditions: string[] = []
  const values: Bindings = {}
  for (const [column, value] of Object.entries(filter)) {
    if (value === undefined) continue
    conditions.push(`${table}.${column} ${value === null ? 'IS NULL' : `= :${column}`}`)
    if (value !== null) values[column] = value
  }
  return { conditions, values }
}

/**
 * Returns a pattern for `LIKE :pattern ESCAPE '\'` that finds texts containing this one, ignoring the case of the
 * letters A to Z.
 */
export function partPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

function select({ table, columns, from = table }: RowSource, conditions: readonly string[]): string {
  return `SELECT ${columns} FROM ${from}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`
}

function withoutNulls<Row extends object>(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [field, value ?? undefined])) as Row
}
