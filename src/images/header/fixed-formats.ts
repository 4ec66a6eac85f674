/** Formats whose size stands at a fixed place. */
import { Unreadable } from '../unreadable.ts'
import { hasAt, type ImageFormat, upright } from './image-format.ts'

/** Permitted bits per channel, by type of colour: grey, RGB, palette, grey with alpha, RGB with alpha (PNG, 11.2.1). */
const bitDepths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

export const png: ImageFormat = {
  name: 'PNG',
  matches: (bytes) => hasAt(bytes, 0, '\x89PNG\r\n\x1a\n'),
  read(bytes) {
    const width = bytes.readUInt32BE(16)
    const height = bytes.readUInt32BE(20)
    const [depth, colour] = [bytes.readUInt8(24), bytes.readUInt8(25)]
    if (bytes.readUInt32BE(8) !== 13 || !hasAt(bytes, 12, 'IHDR') || bitDepths[colour]?.includes(depth) !== true) {
      throw new Unreadable('its PNG header is damaged')
    }
    return { width, height, orientation: upright }
  },
}

/** GIF, whose header has the size of the canvas for the first frame. */
export const gif: ImageFormat = {
  name: 'GIF',
  matches: (bytes) => hasAt(bytes, 0, 'GIF87a') || hasAt(bytes, 0, 'GIF89a'),
  read: (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), orientation: upright }),
}

/** Lengths of the header that follows the file's: OS/2's, and the versions of Windows', which grew over time. */
const oldLength = 12
const lengths = [40, 52, 56, 64, 108, 124]

export const bmp: ImageFormat = {
  name: 'BMP',
  matches: (bytes) => hasAt(bytes, 0, 'BM'),
  read(bytes) {
    const length = bytes.readUInt32LE(14)
    if (length === oldLength)
      return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20), orientation: upright }
    if (!lengths.includes(length)) throw new Unreadable('its BMP header is damaged')
    // A negative height means rows from top to bottom.
    return { width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)), orientation: upright }
  },
}
