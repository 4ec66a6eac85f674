/** Units of the containers whose readers look for marks and skip everything between them. */
import type { FileBytes } from './file-bytes.ts'
import { readMpegFrame } from './mpeg-frame.ts'
import type { Units } from './sampled-units.ts'
import { tsMark } from './ts-packets.ts'

function text(view: DataView, at: number, expected: string): boolean {
  if (at + expected.length > view.byteLength) return false
  for (let index = 0; index < expected.length; index++) {
    if (view.getUint8(at + index) !== expected.charCodeAt(index)) return false
  }
  return true
}

const frameHeaderBytes = 7

/** Returns frames of AAC as ADTS, or of MPEG audio, at any rate: joined files may change it. */
function framesOf(isAdts: boolean, longestBytes: number): Units {
  return {
    firstByte: 0xff,
    longestBytes,
    lengthAt: (view, at) => {
      const frame = at + frameHeaderBytes > view.byteLength ? undefined : readMpegFrame(view, at, 0)
      return (frame?.layer === 'adts') === isAdts ? frame?.lengthBytes : undefined
    },
  }
}

export const mpegFrames = framesOf(false, 2881)
export const adtsFrames = framesOf(true, 8191)

const oggHeadBytes = 27

export const oggPages: Units = {
  firstByte: 0x4f,
  longestBytes: 65_307,
  lengthAt: (view, at) => {
    if (!text(view, at, 'OggS') || at + oggHeadBytes > view.byteLength) return undefined
    const segments = view.getUint8(at + 26)
    let length = oggHeadBytes + segments
    for (let segment = 0; segment < segments && at + oggHeadBytes + segment < view.byteLength; segment++) {
      length += view.getUint8(at + oggHeadBytes + segment)
    }
    return length
  },
}

/** Returns packets of an MPEG transport stream: 188 bytes, in some streams 4 or 16 more. */
export function tsPackets(packetBytes: number): Units {
  return {
    firstByte: tsMark,
    longestBytes: packetBytes,
    lengthAt: (view, at) => (at < view.byteLength && view.getUint8(at) === tsMark ? packetBytes : undefined),
  }
}

/**
 * Offset of the largest frame's bytes in STREAMINFO, behind the file's marker and the block's header (RFC 9639, section
 * 8.2). 0 there means unknown.
 */
const largestFrameOffset = 4 + 4 + 7
const usualLargestFrameBytes = 64 * 1024

/** Returns FLAC frames. They do not state their length: each ends where the next valid one begins. */
export function flacFrames(file: FileBytes, startByte: number): Units {
  const view = file.read(startByte + largestFrameOffset, 4)
  const stated = view.byteLength < 4 ? 0 : view.getUint32(0) >>> 8
  const longestBytes = stated > 0 ? Math.min(stated, usualLargestFrameBytes) : usualLargestFrameBytes
  const lengthAt = (frames: DataView, at: number) => {
    if (!isFlacFrame(frames, at)) return undefined
    const bytes = new Uint8Array(frames.buffer, frames.byteOffset, frames.byteLength)
    for (let next = bytes.indexOf(0xff, at + 1); next >= 0; next = bytes.indexOf(0xff, next + 1)) {
      if (next > at + longestBytes) break
      if (isFlacFrame(frames, next)) return next - at
    }
    return longestBytes
  }
  return { firstByte: 0xff, longestBytes, lengthAt }
}

/** Returns whether a frame's header begins at `at`: its mark, and the checksum over it (RFC 9639, section 9.1). */
function isFlacFrame(view: DataView, at: number): boolean {
  if (at + 6 > view.byteLength || view.getUint16(at) >>> 1 !== 0x7ffc) return false
  const [sizes, first] = [view.getUint8(at + 2), view.getUint8(at + 4)]
  const numberBytes = first < 0x80 ? 1 : Math.clz32(~(first << 24))
  const [blockCode, rateCode] = [sizes >> 4, sizes & 15]
  const blockBytes = blockCode === 6 ? 1 : blockCode === 7 ? 2 : 0
  const rateBytes = rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0
  const sumAt = at + 4 + numberBytes + blockBytes + rateBytes
  if (blockCode === 0 || rateCode === 15 || sumAt >= view.byteLength) return false
  let sum = 0
  for (let index = at; index < sumAt; index++) {
    sum ^= view.getUint8(index)
    for (let bit = 0; bit < 8; bit++) sum = ((sum & 0x80) === 0 ? sum << 1 : (sum << 1) ^ 0x07) & 0xff
  }
  return sum === view.getUint8(sumAt)
}

/** Returns the offset at which the metadata before the first FLAC frame ends. It may hold large pictures. */
export function endOfFlacMetadata(file: FileBytes, startByte: number): number {
  const blockLimit = 1_000
  let offset = startByte + 4
  for (let block = 0; block < blockLimit; block++) {
    const head = file.read(offset, 4)
    if (head.byteLength < 4) break
    offset += 4 + (head.getUint32(0) & 0xffffff)
    if (head.getUint8(0) >= 0x80) break
  }
  return Math.min(offset, file.sizeBytes)
}
