/** Opus recordings in Ogg that last far longer than they claim (RFC 3533, RFC 7845). */

const packetsPerPage = 255
const packetSeconds = 0.12
const opusRateHz = 48_000
const serial = 1

/** Returns about `seconds` of silence, in three bytes per 120 ms. The positions of all pages claim `statedSeconds`. */
export function lyingOpus(seconds: number, statedSeconds: number): Uint8Array {
  const pages = Math.ceil(seconds / packetSeconds / packetsPerPage)
  const position = BigInt(Math.round(statedSeconds * opusRateHz))
  const silence = Array.from({ length: packetsPerPage }, () => silentFrames)
  return Buffer.concat([
    page(0, 0n, [opusHead()], true),
    page(1, 0n, [Buffer.from('OpusTags\0\0\0\0\0\0\0\0')]),
    ...Array.from({ length: pages }, (_, at) => page(at + 2, position, silence)),
  ])
}

/** Two frames of 60 ms in the narrowest band, one byte each. */
const silentFrames = Uint8Array.of((3 << 3) | 1, 0xff, 0xff)

function opusHead(): Uint8Array {
  const head = Buffer.alloc(19)
  head.write('OpusHead')
  head.set([1, 1], 8)
  head.writeUInt32LE(opusRateHz, 12)
  return head
}

function page(number: number, position: bigint, packets: readonly Uint8Array[], isFirst = false): Uint8Array {
  const head = Buffer.alloc(27)
  head.write('OggS')
  head.writeUInt8(isFirst ? 2 : 0, 5)
  head.writeBigUInt64LE(position, 6)
  head.writeUInt32LE(serial, 14)
  head.writeUInt32LE(number, 18)
  head.writeUInt8(packets.length, 26)
  const bytes = Buffer.concat([head, Uint8Array.from(packets.map(({ length }) => length)), ...packets])
  bytes.writeUInt32LE(sumOf(bytes), 22)
  return bytes
}

const polynomial = 0x04c1_1db7
const sums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit++) sum = (sum < 0 ? (sum << 1) ^ polynomial : sum << 1) | 0
  return sum >>> 0
})

function sumOf(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) sum = ((sum << 8) ^ (sums[(sum >>> 24) ^ byte] ?? 0)) >>> 0
  return sum
}
