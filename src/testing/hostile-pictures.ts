/** Rare, damaged and lying pictures, with the expected outcome of each. */
import { deflateSync } from 'node:zlib'
import { pictureFixtures } from './picture-fixtures.ts'
import { chunk, paint, toPng } from './pictures.ts'

export interface PictureCase {
  readonly name: string
  readonly file: () => Uint8Array
  /** `refused` means an error that names the picture. */
  readonly outcome: 'answered' | 'refused'
  /** Number of times that the request contains the picture. Defaults to 1. */
  readonly count?: number
}

/** Fixtures with exactly the same pixels when upright. */
export const samePixels = [
  ...['rgb.png', 'rgb-16-bits.png', 'interlaced.png', 'palette.png', 'rgb.bmp', 'palette.bmp'],
  ...['still.gif', 'interlaced.gif', 'animated.gif', 'lossless.webp', 'rotated.webp'],
]

const mebibyte = 1024 * 1024
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const end = chunk('IEND', Buffer.alloc(0))
const usual = toPng(paint(48, 32, (x) => [5 * x, 0, 0]))
const text = (content: string) => Buffer.from(content, 'latin1')

export const hostilePictures: readonly PictureCase[] = [
  ...pictureFixtures().flatMap(({ name, bytes }): PictureCase[] => [
    { name, file: () => bytes, outcome: 'answered' },
    {
      name: `half of ${name}`,
      file: () => bytes.subarray(0, bytes.length / 2),
      // The first frame of an animation is complete.
      outcome: name.startsWith('animated') ? 'answered' : 'refused',
    },
    { name: `the beginning of ${name}`, file: () => bytes.subarray(0, 16), outcome: 'refused' },
  ]),
  { name: 'PNG of 1 x 1', file: () => toPng(paint(1, 1, () => [255, 0, 0])), outcome: 'answered' },
  { name: 'PNG of 1 x 4,000', file: () => toPng(paint(1, 4000, () => [255, 0, 0])), outcome: 'refused' },
  { name: 'PNG of 4,000 x 1', file: () => toPng(paint(4000, 1, () => [255, 0, 0])), outcome: 'refused' },
  { name: 'PNG of 5 x 900', file: () => toPng(paint(5, 900, () => [255, 0, 0])), outcome: 'answered' },
  { name: '100 pictures', file: () => usual, outcome: 'answered', count: 100 },
  { name: '1,000 pictures', file: () => usual, outcome: 'refused', count: 1000 },
  { name: 'nothing', file: () => Buffer.alloc(0), outcome: 'refused' },
  { name: 'a text', file: () => text('This is no picture. '.repeat(1000)), outcome: 'refused' },
  { name: 'SVG', file: () => text('<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>'), outcome: 'refused' },
  { name: 'HEIC', file: () => text('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), outcome: 'refused' },
  { name: 'a PDF', file: () => text('%PDF-1.7\n1 0 obj\n'), outcome: 'refused' },
  { name: 'a megabyte of noise', file: noise, outcome: 'refused' },
  { name: 'PNG with a wrong checksum', file: () => withByte(usual, 30), outcome: 'answered' },
  { name: 'PNG with damaged pixels', file: () => withByte(usual, 45), outcome: 'refused' },
  { name: 'PNG without pixels', file: () => png(10, 10), outcome: 'refused' },
  { name: 'PNG without an end', file: () => usual.subarray(0, -end.length), outcome: 'refused' },
  { name: 'PNG header of 20,000 x 20,000', file: () => png(20_000, 20_000), outcome: 'refused' },
  { name: 'PNG header of 0 x 0', file: () => png(0, 0), outcome: 'refused' },
  { name: 'PNG header of 2,147,483,647 x 1', file: () => png(0x7fff_ffff, 1), outcome: 'refused' },
  {
    name: 'PNG header of 4,294,967,295 x 4,294,967,295',
    file: () => png(0xffff_ffff, 0xffff_ffff),
    outcome: 'refused',
  },
  { name: 'JPEG header of 65,535 x 65,535', file: () => jpegHeader(65_535), outcome: 'refused' },
  { name: 'GIF header of 65,535 x 65,535', file: () => gifHeader(65_535), outcome: 'refused' },
  { name: 'BMP header of 20,000 x 20,000', file: () => bmpHeader(20_000, 20_000), outcome: 'refused' },
  { name: 'BMP header of -1 x -2,147,483,648', file: () => bmpHeader(-1, -0x8000_0000), outcome: 'refused' },
  { name: 'WebP of 16,384 x 16,384', file: () => webp(16_384), outcome: 'refused' },
  { name: 'WebP of 10 x 10 whose frame has 12,000 x 12,000', file: () => webpFrame(12_000), outcome: 'refused' },
  { name: 'PNG whose 10 x 10 pixels inflate to 50 MB', file: () => png(10, 10, zeros(50)), outcome: 'refused' },
  { name: 'PNG whose 2,000 x 2,000 pixels are 12 KB', file: () => png(2000, 2000, zeros(12)), outcome: 'answered' },
  { name: 'WebP whose 2,000 x 2,000 pixels are 28 bytes', file: () => webp(2000), outcome: 'answered' },
  { name: 'PNG with a text that inflates to 50 MB', file: () => beforePixels('zTXt', zeros(50)), outcome: 'answered' },
  {
    name: 'PNG with a profile that inflates to 50 MB',
    file: () => beforePixels('iCCP', zeros(50)),
    outcome: 'answered',
  },
  { name: 'PNG with 10,000 chunks', file: manyChunks, outcome: 'answered' },
  { name: 'JPEG with 5,000 passes', file: manyPasses, outcome: 'refused' },
  { name: 'GIF with 10,000 frames', file: manyFrames, outcome: 'answered' },
  { name: 'PNG before a ZIP archive', file: () => Buffer.concat([usual, text('PK\x03\x04')]), outcome: 'answered' },
]

/** Returns an RGB file with these compressed pixels; without any it ends after its header. */
function png(width: number, height: number, compressed?: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const pixels = compressed === undefined ? [] : [chunk('IDAT', compressed)]
  return Buffer.concat([signature, chunk('IHDR', header), ...pixels, end])
}

/** Returns many megabytes, compressed to few kilobytes. */
function zeros(mebibytes: number): Buffer {
  return deflateSync(Buffer.alloc(mebibytes * mebibyte), { level: 9 })
}

const headerBytes = signature.length + 25

function beforePixels(type: string, compressed: Buffer): Buffer {
  const data = Buffer.concat([text('name\0\0'), compressed])
  return Buffer.concat([usual.subarray(0, headerBytes), chunk(type, data), usual.subarray(headerBytes)])
}

function manyChunks(): Buffer {
  const chunks = Array.from({ length: 10_000 }, () => chunk('tEXt', text('a\0b')))
  return Buffer.concat([usual.subarray(0, headerBytes), ...chunks, usual.subarray(headerBytes)])
}

function withByte(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at)
  return changed
}

function jpegHeader(side: number): Buffer {
  const frame = Buffer.from('ffd8ffc0001108000000000301220002110103110100', 'hex')
  frame.writeUInt16BE(side, 7)
  frame.writeUInt16BE(side, 9)
  return frame
}

function gifHeader(side: number): Buffer {
  const header = text('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff')
  header.writeUInt16LE(side, 6)
  header.writeUInt16LE(side, 8)
  return header
}

function bmpHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(54)
  header.write('BM')
  header.writeUInt32LE(54, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(width, 18)
  header.writeInt32LE(height, 22)
  header.set([1, 0, 24, 0], 26)
  return header
}

/**
 * Returns a lossless WebP file of one colour, whose pixels take no bits (RFC 9649, 3.7.2.1.1: codes with a single
 * symbol).
 */
function webp(side: number): Buffer {
  return riff('RIFF', Buffer.concat([text('WEBP'), riff('VP8L', losslessPixels(side))]))
}

function losslessPixels(side: number): Buffer {
  const pixels = Buffer.from('2f00000000888808', 'hex')
  pixels.writeUInt32LE((side - 1) | ((side - 1) << 14), 1)
  return pixels
}

/** Returns an animation whose frame is far larger than its canvas. */
function webpFrame(side: number): Buffer {
  const canvas = Buffer.from('02000000090000090000', 'hex')
  const frame = Buffer.alloc(16)
  frame.writeUIntLE(side - 1, 6, 3)
  frame.writeUIntLE(side - 1, 9, 3)
  const chunks = [riff('VP8X', canvas), riff('ANIM', Buffer.alloc(6))]
  chunks.push(riff('ANMF', Buffer.concat([frame, riff('VP8L', losslessPixels(side))])))
  return riff('RIFF', Buffer.concat([text('WEBP'), ...chunks]))
}

/** Returns a RIFF chunk. The length of `data` must be even. */
function riff(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(data.length)
  return Buffer.concat([text(type), length, data])
}

function manyPasses(): Buffer {
  const jpeg = fixture('progressive.jpg')
  const pass = jpeg.indexOf(Buffer.of(0xff, 0xda))
  const passes = Array.from({ length: 5000 }, () => jpeg.subarray(pass, -2))
  return Buffer.concat([jpeg.subarray(0, pass), ...passes, jpeg.subarray(-2)])
}

/** Returns an animation with many copies of its frames. The last byte ends the file. */
function manyFrames(): Buffer {
  const gif = fixture('animated.gif')
  const first = gif.indexOf(text('!\xf9\x04'))
  const frames = Array.from({ length: 3334 }, () => gif.subarray(first, -1))
  return Buffer.concat([gif.subarray(0, first), ...frames, gif.subarray(-1)])
}

function noise(): Buffer {
  return Buffer.from(Uint8Array.from({ length: mebibyte }, (_, index) => (index * 7919) >> (index % 7)))
}

function fixture(name: string): Buffer {
  const found = pictureFixtures().find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no picture ${name}`)
  return found.bytes
}
