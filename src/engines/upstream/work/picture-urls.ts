/** Pictures as upstream servers are sent them: `data:` URLs. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { type ChatRequest, picturesOf } from '../../../core/chat.ts'
import type { ImagePart } from '../../../core/content.ts'

/** First bytes of each format, as Latin-1. */
const types: readonly (readonly [beginning: string, type: string])[] = [
  ['\x89PNG', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['BM', 'image/bmp'],
]

/** Reads all pictures of a request. The function knows them alone. */
export async function readPictureUrls({ messages }: ChatRequest): Promise<(picture: ImagePart) => string> {
  const urls = new Map<string, string>()
  for (const { hash, path } of picturesOf(messages)) {
    if (!urls.has(hash)) urls.set(hash, await dataUrl(await readFile(path)))
  }
  return ({ hash }) => {
    const url = urls.get(hash)
    if (url === undefined) throw new Error('a picture of no message: this is a bug')
    return url
  }
}

async function dataUrl(bytes: Buffer): Promise<string> {
  const beginning = bytes.toString('latin1', 0, 4)
  if (beginning.startsWith('P6')) return `data:image/png;base64,${(await pngOf(bytes)).toString('base64')}`
  const [, type] = types.find(([known]) => beginning.startsWith(known)) ?? []
  return `data:${type ?? 'application/octet-stream'};base64,${bytes.toString('base64')}`
}

/** Of a decoded picture (`images/webp/`): servers know PNG, and few know this format. */
async function pngOf(ppm: Buffer): Promise<Buffer> {
  const [header = '', width = '', height = ''] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 64)) ?? []
  if (header === '') throw new Error('a decoded picture has another header: this is a bug')
  const rowBytes = Number(width) * 3
  const rows = Buffer.alloc((rowBytes + 1) * Number(height))
  for (let row = 0; row < Number(height); row++) {
    // Each row begins with its filter: none.
    ppm.copy(rows, row * (rowBytes + 1) + 1, header.length + row * rowBytes, header.length + (row + 1) * rowBytes)
  }
  const size = Buffer.alloc(13)
  size.writeUInt32BE(Number(width), 0)
  size.writeUInt32BE(Number(height), 4)
  size.set([8, 2, 0, 0, 0], 8) // 8 bits, RGB
  const pixels = await promisify(deflate)(rows, { level: 1 })
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, pngChunk('IHDR', size), pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
