import type { FileBytes } from './file-bytes.ts'
import { readVariable } from './webm-length.ts'

/** Ids of elements at the top level and in a segment (RFC 8794, RFC 9559). */
const header = 0x1a45dfa3
const segment = 0x18538067
const ofSegment = [
  ...[0x114d9b74, 0x1549a966, 0x1654ae6b, 0x1f43b675, 0x1c53bb6b, 0x1941a469, 0x1043a770, 0x1254c367],
  ...[0xec, 0xbf], // padding and sums
]
/** Most elements that are read. The rest of the file then counts as part of the recording. */
const elementLimit = 500

/**
 * Returns the offset at which the first recording of a file ends. Readers lose some or all of a second recording behind
 * it.
 */
export function endOfWebm(file: FileBytes, startByte: number): number {
  let offset = startByte
  let hasSegment = false
  for (let count = 0; offset < file.sizeBytes; count++) {
    if (count === elementLimit) return file.sizeBytes
    const id = readVariable(file, offset, 4)
    const size = id && readVariable(file, offset + id.bytes, 8)
    if (id === undefined || size === undefined) return offset
    const isKnown = ofSegment.includes(id.marked) || id.marked === (offset === startByte ? header : segment)
    if (!isKnown || (id.marked === segment && hasSegment)) return offset
    const content = offset + id.bytes + size.bytes
    const isOpen = size.value === 2 ** (7 * size.bytes) - 1
    hasSegment ||= id.marked === segment
    // A segment of unknown length ends at the first element that is not its own.
    if (id.marked === segment && isOpen) offset = content
    else if (isOpen) return file.sizeBytes
    else offset = content + size.value
  }
  return Math.min(offset, file.sizeBytes)
}
