const samplesPerFrame = 65_535
const syncAndFixedBlocks = [0xff, 0xf8]
/** Flags of a frame: block size in 16 bits at the header's end, sample rate of the stream. */
const sizeAndRate = 0x70
const oneChannel16Bits = 0x08
const constantSubframe = 0

/** Returns a FLAC file of silence with 15 bytes per 65,535 samples: a megabyte can hold months. */
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

/** Returns a number in FLAC's coding, which extends UTF-8 to six bytes. */
function utf8(number: number): number[] {
  if (number < 0x80) return [number]
  // Number of bytes with 6 bits each that follow the first one.
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
