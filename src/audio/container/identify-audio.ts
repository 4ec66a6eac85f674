import { type FileBytes, latinText } from './file-bytes.ts'
import { firstMpegFrame } from './mpeg-frame.ts'
import { findTsPackets } from './ts-packets.ts'

export const containers = [
  ...(['wav', 'mp3', 'mp4', 'ogg', 'flac', 'webm', 'aac', 'amr', 'ts', 'avi'] as const),
  ...(['aiff', 'caf', 'au', 'asf', 'flv', 'w64', 'mpeg'] as const),
] as const

export type Container = (typeof containers)[number]

interface Signature {
  readonly container: Container
  readonly matches: (head: DataView) => boolean
}

const headBytes = 16
/** Most tags that are skipped at the beginning of a file: programs put them before each other. */
const tagLimit = 16

/** Marks at the beginning of a file. */
const signatures: readonly Signature[] = [
  { container: 'wav', matches: (head) => /^(RIFF|RF64|BW64)....WAVE/s.test(latinText(head, 0, 12)) },
  { container: 'flac', matches: (head) => latinText(head, 0, 4) === 'fLaC' },
  { container: 'ogg', matches: (head) => latinText(head, 0, 4) === 'OggS' },
  { container: 'webm', matches: (head) => latinText(head, 0, 4) === '\x1a\x45\xdf\xa3' },
  {
    container: 'mp4',
    matches: (head) => /^(ftyp|styp|moov|moof|sidx|mdat|free|skip|wide|pnot)$/.test(latinText(head, 4, 4)),
  },
  { container: 'avi', matches: (head) => /^RIFF....AVI /s.test(latinText(head, 0, 12)) },
  { container: 'aiff', matches: (head) => /^FORM....AIF[FC]/s.test(latinText(head, 0, 12)) },
  { container: 'caf', matches: (head) => latinText(head, 0, 6) === 'caff\0\x01' },
  { container: 'au', matches: (head) => latinText(head, 0, 4) === '.snd' },
  { container: 'asf', matches: (head) => latinText(head, 0, 8) === '\x30\x26\xb2\x75\x8e\x66\xcf\x11' },
  { container: 'flv', matches: (head) => latinText(head, 0, 4) === 'FLV\x01' },
  { container: 'w64', matches: (head) => latinText(head, 0, 8) === 'riff\x2e\x91\xcf\x11' },
  { container: 'mpeg', matches: (head) => latinText(head, 0, 4) === '\0\0\x01\xba' },
  { container: 'amr', matches: (head) => latinText(head, 0, 5) === '#!AMR' },
]

export interface IdentifiedAudio {
  readonly container: Container
  /** Offset at which the container begins, behind tags. */
  readonly startByte: number
}

/** Returns the container format of a file by its content. Undefined for other files. */
export function identifyAudio(file: FileBytes): IdentifiedAudio | undefined {
  const startByte = endOfTags(file)
  const head = file.read(startByte, headBytes)
  const container = signatures.find(({ matches }) => matches(head))?.container
  if (container !== undefined) return { container, startByte }
  // Comes first, since the packets of a transport stream hold frames of mp3 and aac.
  const stream = findTsPackets(file, startByte)
  if (stream !== undefined) return { container: 'ts', startByte: stream.startByte }
  const frame = firstMpegFrame(file, startByte)
  return frame && { container: frame.layer === 'adts' ? 'aac' : 'mp3', startByte: frame.offset }
}

/** Returns the offset at which the ID3v2 tags at the beginning end. Their length has 7 bits per byte. */
export function endOfTags(file: FileBytes): number {
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
