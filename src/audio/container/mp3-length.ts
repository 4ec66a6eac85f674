import { type FileBytes, latinText } from './file-bytes.ts'
import { firstMpegFrame, type MpegFrame } from './mpeg-frame.ts'

/**
 * Frames by what the first one says of all of them (Xing or Info, VBRI), or else the size of the file by that of the
 * first frame, as if all had the same bit rate.
 */
export function mp3LengthSeconds(file: FileBytes, startByte: number): number | undefined {
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
