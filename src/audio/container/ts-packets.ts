import type { FileBytes } from './file-bytes.ts'

/** Sizes of MPEG transport stream packets: plain, with a time before, or with checksums behind. */
const packetSizes = [188, 192, 204] as const
export const tsMark = 0x47
/** Packets that must follow each other; fewer if the file ends before. */
const packetCount = 8
/** Bytes searched for the first packet: a recording may have been cut anywhere. */
const searchBytes = 2 * 204

interface TsPackets {
  /** Offset of the first whole packet. */
  readonly startByte: number
  readonly packetBytes: number
}

/** Returns the packets of an MPEG transport stream; undefined for other files. */
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
