/** Pictures as `data:` URLs for upstream servers. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { type ChatRequest, picturesOf } from '../../../core/chat.ts'
import type { ImagePart } from '../../../core/content.ts'
import { pngRowBytes, toPng } from '../../../core/png.ts'

/** First bytes of each format, as Latin-1. */
const types: readonly (readonly [beginning: string, type: string])[] = [
  ['\x89PNG', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['BM', 'image/bmp'],
]

/** Reads all pictures of a request. Returns a function that gives the URL of each picture. */
export async function readPictureUrls({ messages }: ChatRequest): Promise<(picture: ImagePart) => string> {
  const urls = new Map<string, string>()
  for (const { hash, path, orientation } of picturesOf(messages)) {
    if (!urls.has(hash)) urls.set(hash, await dataUrl(await readFile(path), orientation))
  }
  return ({ hash }) => {
    const url = urls.get(hash)
    if (url === undefined) throw new Error('a picture of no message: this is a bug')
    return url
  }
}

/** Returns the URL of an image file in a format that engines read. `orientation` is EXIF's. */
export async function dataUrl(bytes: Buffer, orientation: number): Promise<string> {
  const beginning = bytes.toString('latin1', 0, 4)
  if (beginning.startsWith('P6')) return `data:image/png;base64,${(await pngOf(bytes, orientation)).toString('base64')}`
  const [, type] = types.find(([known]) => beginning.startsWith(known)) ?? []
  return `data:${type ?? 'application/octet-stream'};base64,${bytes.toString('base64')}`
}

/** Converts a decoded picture (`images/webp/`) to an upright PNG, because few servers know its format. */
async function pngOf(ppm: Buffer, orientation: number): Promise<Buffer> {
  const [header = '', ...sizes] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 64)) ?? []
  if (header === '') throw new Error('a decoded picture has another header: this is a bug')
  const [width = 0, height = 0] = sizes.map(Number)
  const [uprightWidth, uprightHeight] = orientation < 5 ? [width, height] : [height, width]
  const { start, right, down } = walkOf(orientation, width, height)
  const rowBytes = pngRowBytes(uprightWidth, 3)
  const rows = Buffer.alloc(rowBytes * uprightHeight)
  for (let y = 0; y < uprightHeight; y++) {
    let from = header.length + (start + y * down) * 3
    // Each row begins with its filter type: 0, none.
    let to = y * rowBytes + 1
    if (right === 1) ppm.copy(rows, to, from, from + uprightWidth * 3)
    else
      for (const end = to + uprightWidth * 3; to < end; from += right * 3) {
        rows[to++] = ppm[from] ?? 0
        rows[to++] = ppm[from + 1] ?? 0
        rows[to++] = ppm[from + 2] ?? 0
      }
  }
  const size = { width: uprightWidth, height: uprightHeight, channels: 3 } as const
  return toPng(size, await promisify(deflate)(rows, { level: 1 }))
}

/**
 * Order of the file's pixels in the upright picture, as indexes: the first pixel, and the steps to the right and down.
 */
interface Walk {
  readonly start: number
  readonly right: number
  readonly down: number
}

/** Returns the walk through the pixels. `orientation` is EXIF's; `width` and `height` are the file's. */
function walkOf(orientation: number, width: number, height: number): Walk {
  const [topRight, bottomLeft, bottomRight] = [width - 1, (height - 1) * width, height * width - 1]
  const walks: readonly Walk[] = [
    { start: 0, right: 1, down: width },
    { start: topRight, right: -1, down: width },
    { start: bottomRight, right: -1, down: -width },
    { start: bottomLeft, right: 1, down: -width },
    { start: 0, right: width, down: 1 },
    { start: bottomLeft, right: -width, down: 1 },
    { start: bottomRight, right: -width, down: -1 },
    { start: topRight, right: width, down: -1 },
  ]
  return walks[orientation - 1] ?? { start: 0, right: 1, down: width }
}
