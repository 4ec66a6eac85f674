/** Lines of JSON in which a file holds records, and the end of such a file. */
import { readSync } from 'node:fs'
import { recordFields, recordTimeMs, type ShippedRecord } from './shipped-record.ts'

/** Beginning of every line. */
const lineStart = '{"time":"'
const pieceBytes = 64 * 1024

/** Returns a record as a line: time and kind, then its fields. */
export function recordLine(shipped: ShippedRecord): string {
  const time = new Date(recordTimeMs(shipped)).toISOString()
  return `${JSON.stringify({ time, kind: shipped.kind, ...recordFields(shipped) })}\n`
}

/** Returns the id of an audit row's line; undefined for other lines. */
function auditIdOf(line: string): number | undefined {
  const [, id] = /^\{"time":"[^"]+","kind":"audit","id":(\d+),/.exec(line) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Throws for a file that does not begin as a record does: nothing must be cut off from another program's file. */
export function requireRecords(handle: number): void {
  const begin = Buffer.alloc(lineStart.length)
  const bytesRead = readSync(handle, begin, 0, begin.length, 0)
  const isOwn = lineStart.startsWith(begin.toString('latin1', 0, bytesRead))
  if (!isOwn) throw new Error('the file holds something else than records: name another one')
}

/** Returns the size up to the last line's end. A crash may have torn the line behind it. */
export function endOfLastLine(handle: number, sizeBytes: number): number {
  const end = readFromEnd(handle, sizeBytes, (piece, at) => {
    const found = piece.lastIndexOf('\n')
    return found === -1 ? undefined : at + found + 1
  })
  return end ?? 0
}

/** Returns the id of the last audit row in a file that ends with a whole line. Undefined if it has none. */
export function lastAuditId(handle: number, sizeBytes: number): number | undefined {
  let rest = ''
  return readFromEnd(handle, sizeBytes, (piece, at) => {
    const lines = (piece.toString('latin1') + rest).split('\n')
    // The first line may begin in an earlier piece.
    rest = at === 0 ? '' : (lines.shift() ?? '')
    return lines.map(auditIdOf).findLast((id) => id !== undefined)
  })
}

/** Reads a file from its end in pieces. Calls back with each piece and its place until it gets a result. */
function readFromEnd<Result>(
  handle: number,
  sizeBytes: number,
  look: (piece: Buffer, at: number) => Result | undefined,
): Result | undefined {
  for (let end = sizeBytes; end > 0; end = Math.max(0, end - pieceBytes)) {
    const at = Math.max(0, end - pieceBytes)
    const piece = Buffer.alloc(end - at)
    readSync(handle, piece, 0, piece.length, at)
    const result = look(piece, at)
    if (result !== undefined) return result
  }
  return undefined
}
