import { type FileBytes, latinText } from './file-bytes.ts'
import { firstMpegFrame } from './mpeg-frame.ts'

export const containers = ['wav', 'mp3', 'mp4', 'ogg', 'flac', 'webm', 'aac', 'amr'] as const

export type Container = (typeof containers)[number]

interface Signature {
  readonly container: Container
  readonly matches: (head: DataView) => boolean
}

const headBytes = 16
/** Headers of tags that programs put in front of each other, at most. */
const tagLimit = 16

/** What a file begins with. */
const signatures: readonly Signature[] = [
  { container: 'wav', matches: (head) => /^(RIFF|RF64|BW64)....WAVE/s.test(latinText(head, 0, 12)) },
  { container: 'flac', matches: (head) => latinText(head, 0, 4) === 'fLaC' },
  { container: 'ogg', matches: (head) => latinText(head, 0, 4) === 'OggS' },
  { container: 'webm', matches: (head) => latinText(head, 0, 4) === '\x1a\x45\xdf\xa3' },
  { container: 'mp4', matches: (head) => /^(ftyp|moov|mdat|free|skip|wide|pnot)$/.test(latinText(head, 4, 4)) },
  { container: 'amr', matches: (head) => latinText(head, 0, 5) === '#!AMR' },
]

export interface IdentifiedAudio {
  readonly container: Container
  /** Where it begins, behind tags. */
  readonly startByte: number
}

/** What a file is by its content; undefined where it is none of the containers. */
export function identifyAudio(file: FileBytes): IdentifiedAudio | undefined {
  const startByte = endOfTags(file)
  const head = file.read(startByte, headBytes)
  const container = signatures.find(({ matches }) => matches(head))?.container
  if (container !== undefined) return { container, startByte }
  const frame = firstMpegFrame(file, startByte)
  return frame && { container: frame.layer === 'adts' ? 'aac' : 'mp3', startByte: frame.offset }
}

/** Where the ID3v2 tags at the beginning end. Their length has 7 bits a byte. */
function endOfTags(file: FileBytes): number {
  let offset = 0
  for (let tags = 0; tags < tagLimit; tags++) {
    const head = file.read(offset, 10)
    if (head.byteLength < 10 || latinText(head, 0, 3) !== 'ID3') break
    const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head.getUint8(at) & 127), 0)
    const hasFooter = (head.getUint8(5) & 0x10) !== 0
    offset += 10 + size + (hasFooter ? 10 : 0)
  }
  return offset
}
