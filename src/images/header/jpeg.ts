import { Unreadable } from '../unreadable.ts'
import { exifOrientation } from './exif-orientation.ts'
import { hasAt, type ImageFormat, upright } from './image-format.ts'

/** Most segments read. Cameras write a few dozen, but metadata alone can fill a file. */
const maxSegments = 10_000

const exifName = 'Exif\0\0'

const [startOfScan, endOfImage, app1] = [0xda, 0xd9, 0xe1]
/** Range of the markers of frames, which have the size. Three markers in it belong to tables. */
const [firstFrame, lastFrame] = [0xc0, 0xcf]
const tables = [0xc4, 0xc8, 0xcc]

function isFrame(marker: number): boolean {
  return marker >= firstFrame && marker <= lastFrame && !tables.includes(marker)
}

/** Returns whether a marker has no segment: padding, restarts, and the start of the image. */
function standsAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
}

export const jpeg: ImageFormat = {
  name: 'JPEG',
  matches: (bytes) => hasAt(bytes, 0, '\xff\xd8\xff'),
  read(bytes) {
    let orientation = upright
    let at = 2
    for (let segment = 0; segment < maxSegments; segment++) {
      if (bytes.readUInt8(at) !== 0xff) throw new Unreadable('its JPEG header is damaged')
      while (bytes.readUInt8(at) === 0xff) at++
      const marker = bytes.readUInt8(at++)
      if (standsAlone(marker)) continue
      if (marker === startOfScan || marker === endOfImage) break
      const length = bytes.readUInt16BE(at)
      if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 5), height: bytes.readUInt16BE(at + 3), orientation }
      if (marker === app1 && hasAt(bytes, at + 2, exifName)) {
        orientation = exifOrientation(bytes.subarray(at + 2 + exifName.length, at + length))
      }
      at += length
    }
    throw new Unreadable('its JPEG header does not say its size')
  },
}
