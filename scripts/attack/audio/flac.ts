const samplesPerFrame = 65_535
const syncAndFixedBlocks = [0xff, 0xf8]
/** Block size in 16 bits at the end of the header; the sample rate of the stream. */
const sizeAndRate = 0x70
const oneChannel16Bits = 0x08
const constantSubframe = 0

/**
 * A FLAC file of silence, 15 bytes for each 65,535 samples: a megabyte can hold months.
 */
export function silentFlac(frames: number, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  const parts = [...new TextEncoder().encode('fLaC'), 0x80, 0, 0, 34, ...streamInfo(frames, sampleRateHz)]
  const file = new Uint8Array(parts.length + frames * 20)
  file.set(parts)
  let at = parts.length
  for (let frame = 0; frame < frames; frame++) {
    const size = samplesPerFrame - 1
    const header = [...syncAndFixedBlocks, sizeAndRate, oneChannel16Bits, ...utf8(frame), size >> 8, size & 0xff]
    const body = [...header, crc8(header), constantSubframe, 0, 0]
    const sum = crc16(body)
    file.set([...body, sum >> 8, sum & 0xff], at)
    at += body.length + 2
  }
  return file.subarray(0, at)
}

function streamInfo(frames: number, sampleRateHz: number): number[] {
  const total = BigInt(frames) * BigInt(samplesPerFrame)
  const info = (BigInt(sampleRateHz) << 44n) | (0n << 41n) | (15n << 36n) | (total & 0xf_ffff_ffffn)
  const bytes = Array.from({ length: 8 }, (_, index) => Number((info >> BigInt(56 - index * 8)) & 0xffn))
  const size = [samplesPerFrame >> 8, samplesPerFrame & 0xff]
  return [...size, ...size, 0, 0, 0, 0, 0, 0, ...bytes, ...new Array<number>(16).fill(0)]
}

/** A number as FLAC writes it, by the rule of UTF-8 for up to six bytes. */
function utf8(number: number): number[] {
  if (number < 0x80) return [number]
  // That many bytes of 6 bits follow a first one of the other bits.
  const following = Math.ceil((32 - Math.clz32(number) - 6) / 5)
  const marker = (0xff00 >> (following + 1)) & 0xff
  const tail = Array.from(
    { length: following },
    (_, index) => 0x80 | ((number >> (6 * (following - 1 - index))) & 0x3f),
  )
  return [marker | (number >> (6 * following)), ...tail]
}

function crc8(bytes: readonly number[]): number {
  return crc(bytes, 8, 0x07)
}

function crc16(bytes: readonly number[]): number {
  return crc(bytes, 16, 0x8005)
}

function crc(bytes: readonly number[], bits: number, polynomial: number): number {
  const top = 1 << (bits - 1)
  const mask = (1 << bits) - 1
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << (bits - 8)
    for (let bit = 0; bit < 8; bit++) sum = ((sum & top) === 0 ? sum << 1 : (sum << 1) ^ polynomial) & mask
  }
  return sum
}
