/** Formats values for people. */
import { printableLine } from '../core/printable.ts'
import { tableLine } from './layout.ts'

/** Cells of a row, by the heads of the columns. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>

/**
 * Returns a table of one line a row, whatever a cell holds. `layout.ts` makes columns of it; narrow terminals go without the last
 * `spare` ones.
 */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>, { spare = 0 } = {}): string {
  const cells = rows.map((row) => Object.values(columns).map((show) => show(row)))
  const lines = cells.map((line) => tableLine(line.map(printableLine)))
  return [tableLine(Object.keys(columns), spare), ...lines].join('')
}

/** Returns UTC to the minute, or `-`. */
export function minuteOf(timeMs: number | null): string {
  return timeMs === null ? '-' : new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')
}

/** Returns UTC to the second. */
export function secondOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')
}

/** Returns the end of a validity in words. */
export function validity(expiresAtMs: number | null): string {
  if (expiresAtMs === null) return 'valid'
  return expiresAtMs <= Date.now() ? 'expired' : `valid until ${minuteOf(expiresAtMs)}`
}

/** Returns `1 row` or `2 rows`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
