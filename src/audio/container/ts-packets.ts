import type { FileBytes } from './file-bytes.ts'

/** Packets of MPEG transport streams: plain, with a time in front, or with sums behind. */
const packetSizes = [188, 192, 204] as const
export const tsMark = 0x47
/** Packets that must follow each other, or as many as the file has. */
const packetCount = 8
/** A recording that was cut anywhere has the next packet soon. */
const searchBytes = 2 * 204

interface TsPackets {
  /** Mark of the first whole packet. */
  readonly startByte: number
  readonly packetBytes: number
}

/** Returns the packets of an MPEG transport stream; undefined if the file is none. */
export function findTsPackets(file: FileBytes, startByte: number): TsPackets | undefined {
  const view = file.read(startByte, searchBytes + packetCount * 204)
  for (let at = 0; at < searchBytes && at < view.byteLength; at++) {
    const packetBytes = packetSizes.find((size) => hasMarks(view, at, size))
    if (packetBytes !== undefined) return { startByte: startByte + at, packetBytes }
  }
  return undefined
}

function hasMarks(view: DataView, at: number, packetBytes: number): boolean {
  let packets = 0
  for (let mark = at; packets < packetCount && mark < view.byteLength; mark += packetBytes) {
    if (view.getUint8(mark) !== tsMark) return false
    packets++
  }
  return packets === packetCount || (packets > 1 && at === 0)
}
