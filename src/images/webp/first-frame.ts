import { Unreadable } from '../unreadable.ts'
import { riffChunks, webpChunksStart } from './riff-chunks.ts'

/** Still picture, and its place on the canvas. */
interface StillWebp {
  readonly file: Buffer
  readonly left: number
  readonly top: number
}

const frameHeadBytes = 16
/** Most chunks of a frame: alpha and colours, or both in one, and unknown chunks. */
const maxFrameChunks = 16
const maxChunks = 64

/** Flags in the extended header. */
const [alphaFlag, animationFlag] = [0x10, 0x02]

/** Returns the first frame of an animation as a file, and other files unchanged. Throws Unreadable. */
export function firstFrame(bytes: Buffer): StillWebp {
  const chunks = [...riffChunks(bytes, webpChunksStart, maxChunks)]
  const canvas = chunks[0]?.type === 'VP8X' ? chunks[0].data : Buffer.alloc(0)
  const isAnimated = ((canvas[0] ?? 0) & animationFlag) !== 0
  if (!isAnimated) return { file: bytes, left: 0, top: 0 }
  const frame = chunks.find(({ type }) => type === 'ANMF')?.data
  if (frame === undefined || frame.length < frameHeadBytes) throw new Unreadable('its WebP animation has no frame')
  const [left, top] = [frame.readUIntLE(0, 3) * 2, frame.readUIntLE(3, 3) * 2]
  // The limits were checked only for the canvas, so no frame may exceed it.
  if (left + sideAt(frame, 6) > sideAt(canvas, 4) || top + sideAt(frame, 9) > sideAt(canvas, 7)) {
    throw new Unreadable('a frame of its WebP animation is outside of the canvas')
  }
  return { file: stillFile(frame), left, top }
}

/** Returns the length of a side. Both headers store one less. */
function sideAt(bytes: Buffer, offset: number): number {
  return bytes.readUIntLE(offset, 3) + 1
}

function stillFile(frame: Buffer): Buffer {
  const parts = [...riffChunks(frame, frameHeadBytes, maxFrameChunks)]
  const pixels = parts.filter(({ type }) => ['ALPH', 'VP8 ', 'VP8L'].includes(type))
  const extended = Buffer.alloc(10)
  extended.writeUInt8(pixels.some(({ type }) => type !== 'VP8 ') ? alphaFlag : 0)
  frame.copy(extended, 4, 6, 12) // width and height, as both headers have them
  const chunks = [{ type: 'VP8X', data: extended }, ...pixels].flatMap(({ type, data }) => toChunk(type, data))
  return Buffer.concat(toChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks])))
}

function toChunk(type: string, data: Buffer): Buffer[] {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return [head, data, Buffer.alloc(data.length % 2)]
}
