import { type FileBytes, latinText } from './file-bytes.ts'

const pageHeadBytes = 27
/** Bytes searched at the end. A page has at most 65,307 bytes; other streams may end later. */
const searchBytes = 256 * 1024

interface Codec {
  readonly sampleRateHz: number
  /** Samples at the beginning that a decoder throws away. */
  readonly skippedSamples: number
}

/** Returns the end position of the first audio stream's last page in seconds (RFC 3533, RFC 7845). */
export function oggLengthSeconds(file: FileBytes, startByte: number): number | undefined {
  const first = readFirstPages(file, startByte)
  if (first === undefined) return undefined
  const end = lastPosition(file, first.serial)
  return end === undefined ? undefined : (end - first.codec.skippedSamples) / first.codec.sampleRateHz
}

/** Reads the first pages: each stream has its first page before all other pages. */
function readFirstPages(file: FileBytes, startByte: number) {
  const streamLimit = 16
  let offset = startByte
  for (let stream = 0; stream < streamLimit; stream++) {
    const head = file.read(offset, pageHeadBytes)
    const isFirst =
      head.byteLength === pageHeadBytes && latinText(head, 0, 4) === 'OggS' && (head.getUint8(5) & 2) !== 0
    if (!isFirst) return undefined
    const segments = head.getUint8(26)
    const table = file.read(offset + pageHeadBytes, segments)
    let contentBytes = 0
    for (let at = 0; at < table.byteLength; at++) contentBytes += table.getUint8(at)
    const content = offset + pageHeadBytes + segments
    const codec = readCodec(file.read(content, 64))
    if (codec !== undefined) return { codec, serial: head.getUint32(14, true) }
    offset = content + contentBytes
  }
  return undefined
}

function readCodec(packet: DataView): Codec | undefined {
  if (packet.byteLength >= 16 && latinText(packet, 1, 6) === 'vorbis')
    return { sampleRateHz: packet.getUint32(12, true), skippedSamples: 0 }
  // Opus always counts samples at 48 kHz.
  if (packet.byteLength >= 12 && latinText(packet, 0, 8) === 'OpusHead')
    return { sampleRateHz: 48_000, skippedSamples: packet.getUint16(10, true) }
  // The header of FLAC in Ogg comes before FLAC's own header.
  if (packet.byteLength >= 30 && latinText(packet, 1, 4) === 'FLAC')
    return { sampleRateHz: packet.getUint32(27) >>> 12, skippedSamples: 0 }
  return undefined
}

function lastPosition(file: FileBytes, serial: number): number | undefined {
  const tail = file.read(Math.max(0, file.sizeBytes - searchBytes), searchBytes)
  for (let at = tail.byteLength - pageHeadBytes; at >= 0; at--) {
    if (tail.getUint32(at) !== 0x4f676753 || tail.getUint32(at + 14, true) !== serial) continue
    const position = tail.getBigInt64(at + 6, true)
    if (position >= 0) return Number(position)
  }
  return undefined
}
