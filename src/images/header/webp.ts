import { Unreadable } from '../unreadable.ts'
import { riffChunks, webpChunksStart } from '../webp/riff-chunks.ts'
import { exifOrientation } from './exif-orientation.ts'
import { hasAt, type ImageFormat, type ImageHeader, upright } from './image-format.ts'

/** Most chunks read. Metadata follows all frames of an animation. */
const maxChunks = 4_096

type Size = Pick<ImageHeader, 'width' | 'height'>

/** Readers of the size by the first chunk's type. Its data begins at `at`. */
const sizes: Readonly<Record<string, (bytes: Buffer, at: number) => Size>> = {
  'VP8 ': lossySize,
  VP8L: losslessSize,
  VP8X: (bytes, at) => ({ width: bytes.readUIntLE(at + 4, 3) + 1, height: bytes.readUIntLE(at + 7, 3) + 1 }),
}

export const webp: ImageFormat = {
  name: 'WebP',
  matches: (bytes) => hasAt(bytes, 0, 'RIFF') && hasAt(bytes, 8, 'WEBP'),
  read(bytes) {
    const sizeOf = sizes[bytes.toString('latin1', webpChunksStart, webpChunksStart + 4)]
    if (sizeOf === undefined) throw new Unreadable('its WebP header is damaged')
    return { ...sizeOf(bytes, webpChunksStart + 8), orientation: orientationOf(bytes) }
  },
}

/**
 * Reads the size by RFC 6386, 9.1: a key frame's tag, its start code, and two numbers of 14 bits with two bits of scale
 * each.
 */
function lossySize(bytes: Buffer, at: number): Size {
  const isKeyFrame = (bytes.readUInt8(at) & 1) === 0
  if (!isKeyFrame || !hasAt(bytes, at + 3, '\x9d\x01\x2a')) throw new Unreadable('its WebP header is damaged')
  return { width: bytes.readUInt16LE(at + 6) & 0x3fff, height: bytes.readUInt16LE(at + 8) & 0x3fff }
}

/** Reads a signature and two numbers of 14 bits, each one less than the size. */
function losslessSize(bytes: Buffer, at: number): Size {
  if (bytes.readUInt8(at) !== 0x2f) throw new Unreadable('its WebP header is damaged')
  const bits = bytes.readUInt32LE(at + 1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

function orientationOf(bytes: Buffer): number {
  for (const { type, data } of riffChunks(bytes, webpChunksStart, maxChunks)) {
    if (type !== 'EXIF') continue
    // Some programs write the prefix of a JPEG's EXIF data.
    return exifOrientation(hasAt(data, 0, 'Exif\0\0') ? data.subarray(6) : data)
  }
  return upright
}
