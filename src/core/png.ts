import { crc32 } from 'node:zlib'

/** Size of a picture in pixels, and the bytes of a pixel: grey, or red, green and blue. */
interface Shape {
  readonly width: number
  readonly height: number
  readonly channels: 1 | 3
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Returns the bytes of a row of a PNG, which begins with its filter type. */
export function pngRowBytes(width: number, channels: Shape['channels']): number {
  return width * channels + 1
}

/** Returns a PNG file. `deflated` are its rows, each after a filter type, compressed by zlib. */
export function toPng({ width, height, channels }: Shape, deflated: Uint8Array): Buffer {
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  size.set([8, channels === 1 ? 0 : 2, 0, 0, 0], 8) // 8 bits, grey or RGB
  return Buffer.concat([
    signature,
    pngChunk('IHDR', size),
    pngChunk('IDAT', deflated),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
