import { Unreadable } from '../unreadable.ts'
import { bmp, gif, png } from './fixed-formats.ts'
import { hasAt, type ImageFormat, type ImageHeader } from './image-format.ts'
import { jpeg } from './jpeg.ts'
import { webp } from './webp.ts'

const formats: readonly ImageFormat[] = [png, jpeg, gif, webp, bmp]

/** Completes "Send …". */
export const readableFormats = 'a PNG, JPEG, GIF, BMP or WebP file'

/** Unreadable formats that error messages name. */
const otherFormats: readonly (readonly [name: string, matches: (bytes: Buffer) => boolean])[] = [
  ['HEIC', (bytes) => isBrand(bytes, ['heic', 'heix', 'heim', 'heis', 'hevc', 'mif1', 'msf1'])],
  ['AVIF', (bytes) => isBrand(bytes, ['avif', 'avis'])],
  ['JPEG XL', (bytes) => hasAt(bytes, 0, '\xff\x0a') || hasAt(bytes, 4, 'JXL \r\n')],
  ['JPEG 2000', (bytes) => hasAt(bytes, 4, 'jP  \r\n') || hasAt(bytes, 0, '\xff\x4f\xff\x51')],
  ['TIFF', (bytes) => hasAt(bytes, 0, 'II*\0') || hasAt(bytes, 0, 'MM\0*')],
  ['PDF', (bytes) => hasAt(bytes, 0, '%PDF-')],
  [
    'SVG',
    (bytes) => /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>|<!--[^>]*-->|<!doctype svg[^>]*>|\s)*<svg[\s>/]/i.test(beginOf(bytes)),
  ],
  ['HTML', (bytes) => /^(\xef\xbb\xbf)?\s*<(!doctype html|html|head|body)[\s>]/i.test(beginOf(bytes))],
]

/** Returns whether an ISO base media file has one of the brands, which name its content. */
function isBrand(bytes: Buffer, brands: readonly string[]): boolean {
  return hasAt(bytes, 4, 'ftyp') && brands.includes(bytes.toString('latin1', 8, 12))
}

function beginOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 1024)
}

/** Returns whether the bytes begin a readable picture. */
export function isPicture(bytes: Buffer): boolean {
  return formats.some(({ matches }) => matches(bytes))
}

/**
 * Reads the header of a picture, whose format its first bytes show. Takes little time for any bytes. Throws Unreadable.
 */
export function readHeader(picture: Uint8Array): ImageHeader {
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength)
  if (bytes.length === 0) throw new Unreadable('it is empty')
  const format = formats.find(({ matches }) => matches(bytes))
  if (format === undefined) throw new Unreadable(`it is ${otherNameOf(bytes)}`)
  const { name } = format
  const header = readWhole(format, bytes)
  if (header.width < 1 || header.height < 1) throw new Unreadable(`its ${name} header says that it has no pixels`)
  return { format: name, ...header }
}

function readWhole(format: ImageFormat, bytes: Buffer): Omit<ImageHeader, 'format'> {
  try {
    return format.read(bytes)
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable(`its ${format.name} header is cut short`)
    throw error
  }
}

function otherNameOf(bytes: Buffer): string {
  const other = otherFormats.find(([, matches]) => matches(bytes))
  return other === undefined ? 'no picture of a known format' : `a file of the format ${other[0]}`
}
