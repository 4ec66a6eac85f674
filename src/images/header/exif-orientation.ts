import { hasAt, upright } from './image-format.ts'

const orientationTag = 0x0112
const shortType = 3
const entryBytes = 12

/** Returns the orientation in EXIF data, which has the form of a TIFF file. Damaged data counts as upright. */
export function exifOrientation(exif: Buffer): number {
  const isLittle = hasAt(exif, 0, 'II*\0')
  if (!isLittle && !hasAt(exif, 0, 'MM\0*')) return upright
  const uint16 = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at))
  try {
    const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4)
    const entries = uint16(directory)
    for (let index = 0; index < entries; index++) {
      const entry = directory + 2 + index * entryBytes
      if (uint16(entry) !== orientationTag) continue
      const orientation = uint16(entry + 8)
      return uint16(entry + 2) === shortType && orientation >= 1 && orientation <= 8 ? orientation : upright
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return upright
}
