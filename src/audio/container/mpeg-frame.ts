import type { FileBytes } from './file-bytes.ts'

/** Frame of MPEG audio, layers 1 to 3, or of AAC as ADTS. */
export interface MpegFrame {
  readonly offset: number
  readonly layer: 1 | 2 | 3 | 'adts'
  readonly lengthBytes: number
  readonly sampleRateHz: number
  readonly sampleCount: number
  readonly hasOneChannel: boolean
  /** True for MPEG 2 and 2.5, whose frames of layer 3 are half as long. */
  readonly isLowRate: boolean
}

/** Bytes searched for the first frame: programs leave padding and ends of frames before it. */
const searchBytes = 128 * 1024
const headerBytes = 7
const frameLimitBytes = 8191
/**
 * Frames that must follow the first one. Uncompressed audio has two headers at the right distance by chance, but not
 * four.
 */
const followerCount = 3

/**
 * Returns the first frame that three others of its kind follow, or fewer if the file begins with it and ends before.
 */
export function firstMpegFrame(file: FileBytes, startByte: number): MpegFrame | undefined {
  const view = file.read(startByte, searchBytes + (1 + followerCount) * frameLimitBytes + headerBytes)
  for (let at = 0; at < searchBytes && at + headerBytes <= view.byteLength; at++) {
    const frame = readMpegFrame(view, at, startByte)
    if (frame !== undefined && isFollowed(view, at, frame)) return frame
  }
  return undefined
}

function isFollowed(view: DataView, at: number, { layer, sampleRateHz, lengthBytes }: MpegFrame): boolean {
  let end = at + lengthBytes
  for (let followers = 0; followers < followerCount; followers++) {
    if (end + headerBytes > view.byteLength) return at === 0 && end >= view.byteLength
    const follower = readMpegFrame(view, end, 0)
    if (follower?.layer !== layer || follower.sampleRateHz !== sampleRateHz) return false
    end += follower.lengthBytes
  }
  return true
}

const mpegRatesHz = [44_100, 48_000, 32_000] as const
const adtsRatesHz = [96e3, 88_200, 64e3, 48e3, 44_100, 32e3, 24e3, 22_050, 16e3, 12e3, 11_025, 8e3, 7_350] as const
/**
 * Bit rates in kbit/s by the header's index, 1 to 14: MPEG 1 layers 1, 2, 3, then MPEG 2 layer 1, then its layers 2 and
 * 3.
 */
const bitRates = {
  '1.1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1.2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1.3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2.1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2.2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2.3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const

/**
 * Returns the frame whose header is at `at`. The view must have 7 bytes from there. `startByte` is the view's offset in
 * its file.
 */
export function readMpegFrame(view: DataView, at: number, startByte: number): MpegFrame | undefined {
  const offset = startByte + at
  const [second, third, fourth] = [view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3)]
  if (view.getUint8(at) !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  const layerBits = (second >> 1) & 3
  if (layerBits === 0) return (second & 0xf0) === 0xf0 ? readAdtsFrame(view, at, offset) : undefined
  const layer = (4 - layerBits) as 1 | 2 | 3
  const version = (['2.5', undefined, '2', '1'] as const)[(second >> 3) & 3]
  if (version === undefined) return undefined
  const isLowRate = version !== '1'
  const bitRate = bitRates[`${isLowRate ? '2' : '1'}.${layer}`][(third >> 4) - 1]
  const baseRateHz = mpegRatesHz[(third >> 2) & 3]
  if (bitRate === undefined || baseRateHz === undefined) return undefined
  const sampleRateHz = baseRateHz / { '1': 1, '2': 2, '2.5': 4 }[version]
  const sampleCount = layer === 1 ? 384 : layer === 3 && isLowRate ? 576 : 1152
  const slotBytes = layer === 1 ? 4 : 1
  const slots = Math.floor((sampleCount * bitRate * 125) / sampleRateHz / slotBytes) + ((third >> 1) & 1)
  const lengthBytes = slots * slotBytes
  return { offset, layer, lengthBytes, sampleRateHz, sampleCount, hasOneChannel: fourth >> 6 === 3, isLowRate }
}

function readAdtsFrame(view: DataView, at: number, offset: number): MpegFrame | undefined {
  const sampleRateHz = adtsRatesHz[(view.getUint8(at + 2) >> 2) & 15]
  const lengthBytes = (view.getUint32(at + 2) >>> 5) & 0x1fff
  if (sampleRateHz === undefined || lengthBytes < headerBytes) return undefined
  return {
    offset,
    layer: 'adts',
    lengthBytes,
    sampleRateHz,
    sampleCount: 1024,
    hasOneChannel: false,
    isLowRate: false,
  }
}
