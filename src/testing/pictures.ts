/** Pictures for tests. Pixels are RGB, rows from top to bottom. */
import { crc32, deflateSync } from 'node:zlib'

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Three bytes per pixel. */
  readonly rgb: Uint8Array
}

/** Returns pixels in the colours that `colourAt` returns. */
export function paint(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly [red: number, green: number, blue: number],
): Pixels {
  const rgb = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rgb.set(colourAt(x, y), (y * width + x) * 3)
  return { width, height, rgb }
}

export function toPng({ width, height, rgb }: Pixels): Buffer {
  const lines = Buffer.alloc(height * (width * 3 + 1)) // each line begins with its filter: 0, none
  for (let y = 0; y < height; y++) lines.set(rgb.subarray(y * width * 3, (y + 1) * width * 3), y * (width * 3 + 1) + 1)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8) // 8 bits, RGB
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Returns a chunk of a PNG file, with its length and its checksum. */
export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

export function toDataUrl(bytes: Uint8Array, type = 'image/png'): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}
