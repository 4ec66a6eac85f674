import { recordFields, recordTimeMs, type ShippedRecord } from './shipped-record.ts'

/** Begin of every line. */
export const lineStart = '{"time":"'

/** Returns a record as a line of JSON: time and kind, then its fields. */
export function jsonLine(shipped: ShippedRecord): string {
  const time = new Date(recordTimeMs(shipped)).toISOString()
  return `${JSON.stringify({ time, kind: shipped.kind, ...recordFields(shipped) })}\n`
}

/** Returns the id of an audit row's line; undefined for other lines. */
export function auditIdOf(line: string): number | undefined {
  const [, id] = /^\{"time":"[^"]+","kind":"audit","id":(\d+),/.exec(line) ?? []
  return id === undefined ? undefined : Number(id)
}
