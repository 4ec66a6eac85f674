/** How values are shown to people. */
import { printableLine } from '../core/printable.ts'
import { tableLine } from './layout.ts'

/** What a table shows of a row, by the heads of its columns. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>

/** A table of one line a row, whatever a cell holds. `layout.ts` makes columns of it. */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const cells = rows.map((row) => Object.values(columns).map((show) => show(row)))
  return [Object.keys(columns), ...cells].map((line) => tableLine(line.map(printableLine))).join('')
}

/** UTC to the minute, or `-`. */
export function minuteOf(timeMs: number | null): string {
  return timeMs === null ? '-' : new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')
}

/** UTC to the second. */
export function secondOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')
}

/** Whether something that may expire is valid. */
export function validity(expiresAtMs: number | null): string {
  if (expiresAtMs === null) return 'valid'
  return expiresAtMs <= Date.now() ? 'expired' : `valid until ${minuteOf(expiresAtMs)}`
}

/** `1 row`, `2 rows`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
