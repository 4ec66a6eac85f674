import { type FileBytes, latinText } from './file-bytes.ts'
import type { Container, IdentifiedAudio } from './identify-audio.ts'
import { mp4LengthSeconds } from './mp4-length.ts'
import { firstMpegFrame, type MpegFrame } from './mpeg-frame.ts'
import { oggLengthSeconds } from './ogg-length.ts'
import { webmLengthSeconds } from './webm-length.ts'

/** Returns the length in seconds that a container states; undefined if it states none that is plausible. */
type StatedLength = (file: FileBytes, startByte: number) => number | undefined

const statedLengths: Partial<Readonly<Record<Container, StatedLength>>> = {
  wav: wavLengthSeconds,
  mp3: mp3LengthSeconds,
  mp4: mp4LengthSeconds,
  ogg: oggLengthSeconds,
  flac: flacLengthSeconds,
  webm: webmLengthSeconds,
}

/**
 * Returns the length of a recording in seconds that its container states, without decoding. It may be wrong, so use it
 * only for estimates. Undefined if the container states none.
 */
export function statedLengthSeconds(file: FileBytes, { container, startByte }: IdentifiedAudio): number | undefined {
  const seconds = statedLengths[container]?.(file, startByte)
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

/**
 * Offset of the sample rate in STREAMINFO, behind the file's marker and the header of its first block (RFC 9639,
 * section 8.2).
 */
const flacRateOffset = 4 + 4 + 10

/**
 * Returns samples divided by sample rate: 20 bits of rate, 8 of channels and depth, 36 of samples, which are 0 if
 * unknown.
 */
function flacLengthSeconds(file: FileBytes, startByte: number): number | undefined {
  const view = file.read(startByte + flacRateOffset, 8)
  if (view.byteLength < 8) return undefined
  const sampleRateHz = view.getUint32(0) >>> 12
  const samples = (view.getUint8(3) & 15) * 2 ** 32 + view.getUint32(4)
  return samples / sampleRateHz
}

/**
 * Returns the length by the number of frames: stated in the first frame (Xing or Info, VBRI), otherwise file size by
 * frame size, as if all frames had the same bit rate.
 */
function mp3LengthSeconds(file: FileBytes, startByte: number): number | undefined {
  const frame = firstMpegFrame(file, startByte)
  if (frame === undefined) return undefined
  const frames = statedFrames(file, frame) ?? (file.sizeBytes - frame.offset) / frame.lengthBytes
  return (frames * frame.sampleCount) / frame.sampleRateHz
}

function statedFrames(file: FileBytes, { offset, isLowRate, hasOneChannel }: MpegFrame): number | undefined {
  const sideInformation = isLowRate ? (hasOneChannel ? 9 : 17) : hasOneChannel ? 17 : 32
  const xing = file.read(offset + 4 + sideInformation, 12)
  const hasFrames = xing.byteLength === 12 && (xing.getUint32(4) & 1) !== 0
  if (hasFrames && /^(Xing|Info)$/.test(latinText(xing, 0, 4))) return xing.getUint32(8)
  const vbri = file.read(offset + 4 + 32, 18)
  return vbri.byteLength === 18 && latinText(vbri, 0, 4) === 'VBRI' ? vbri.getUint32(14) : undefined
}

/** Most chunks that are read. Real files have some dozen. */
const chunkLimit = 200

/**
 * Returns the bytes of the samples divided by bytes per second. A size larger than the file, as in streams, counts up
 * to the end.
 */
function wavLengthSeconds(file: FileBytes, startByte: number): number | undefined {
  let bytesPerSecond = 0
  let offset = startByte + 12
  for (let chunk = 0; chunk < chunkLimit; chunk++) {
    const head = file.read(offset, 8)
    if (head.byteLength < 8) return undefined
    const [name, size] = [latinText(head, 0, 4), head.getUint32(4, true)]
    const content = offset + 8
    if (name === 'fmt ' && size >= 12) {
      const format = file.read(content, 12)
      if (format.byteLength === 12) bytesPerSecond = format.getUint32(8, true)
    }
    // RF64 states the size elsewhere and has the largest value here.
    if (name === 'data') return Math.min(size || 0xffff_ffff, file.sizeBytes - content) / bytesPerSecond
    offset = content + size + (size % 2)
  }
  return undefined
}
