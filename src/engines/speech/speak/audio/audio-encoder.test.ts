import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeByLibav } from '../../../../audio/built-in/decode-by-libav.ts'
import type { AudioFormat } from '../../../../core/speech.ts'
import { openEncoder } from './audio-encoder.ts'
import { openLibav } from './open-libav.ts'

const libav = await openLibav()
const folder = mkdtempSync(join(tmpdir(), 'inferd-encode-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sampleRateHz = 24_000
const seconds = 2
/** A tone that swells and falls. */
const samples = Int16Array.from({ length: seconds * sampleRateHz }, (_, index) => {
  const at = index / sampleRateHz
  return 12_000 * Math.sin(2 * Math.PI * 440 * at) * Math.sin(2 * Math.PI * at) ** 2
})

let opened = 0

/** Returns the encoded bytes of all samples, pushed `pieceSamples` at a time. */
function encode(format: AudioFormat, pieceSamples: number): Buffer {
  const encoder = openEncoder({ libav, format, sampleRateHz, name: `test-${opened++}` })
  const parts: Uint8Array[] = []
  for (let begin = 0; begin < samples.length; begin += pieceSamples) {
    parts.push(encoder.push(samples.subarray(begin, begin + pieceSamples)))
  }
  parts.push(encoder.end())
  encoder.close()
  return Buffer.concat(parts)
}

/** Returns the decoded samples, at 16 kHz. */
async function decode(format: string, bytes: Buffer): Promise<Int16Array> {
  const path = join(folder, format)
  writeFileSync(path, bytes)
  return new Int16Array(
    Buffer.concat(await Array.fromAsync(decodeByLibav({ path, demuxer: format, startByte: 0 }))).buffer.slice(0),
  )
}

const rootMeanSquare = (values: Int16Array) =>
  Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length)

test.each([
  ['mp3', 'mp3', 8_000 * seconds],
  ['opus', 'ogg', 4_000 * seconds],
  ['flac', 'flac', 48_000 * seconds],
] as const)(
  '%s is decoded to what was encoded, and is as small as it should be',
  async (format, demuxer, largestBytes) => {
    const bytes = encode(format, sampleRateHz)
    expect(bytes.length).toBeLessThan(largestBytes * 1.5)
    const decoded = await decode(demuxer, bytes)
    expect(decoded.length / 16_000).toBeWithin(seconds - 0.01, seconds + 0.1)
    expect(rootMeanSquare(decoded) / rootMeanSquare(samples)).toBeWithin(0.9, 1.1)
  },
)

test.each(['mp3', 'opus', 'flac'] as const)('%s does not depend on how the samples come', (format) => {
  const whole = encode(format, samples.length)
  expect(encode(format, sampleRateHz).equals(whole)).toBe(true)
  expect(encode(format, 777).equals(whole)).toBe(true)
})

test('wav and pcm are the samples themselves', () => {
  const expected = Buffer.from(samples.buffer)
  expect(encode('wav', 1000).equals(expected)).toBe(true)
  expect(encode('pcm', 1000).equals(expected)).toBe(true)
})

test('several encoders at once do not mix', () => {
  const alone = encode('mp3', sampleRateHz)
  const parts: Uint8Array[][] = [[], []]
  const encoders = [0, 1].map((index) => openEncoder({ libav, format: 'mp3', sampleRateHz, name: `both-${index}` }))
  for (let begin = 0; begin < samples.length; begin += sampleRateHz) {
    for (const [index, encoder] of encoders.entries()) {
      parts[index]?.push(encoder.push(samples.subarray(begin, begin + sampleRateHz)))
    }
  }
  for (const [index, encoder] of encoders.entries()) {
    parts[index]?.push(encoder.end())
    encoder.close()
  }
  for (const part of parts) expect(Buffer.concat(part).equals(alone)).toBe(true)
})

test('an encoder that is closed early leaves nothing behind', () => {
  const filledBytes = () => libav.HEAPU8.length
  for (let count = 0; count < 5; count++) {
    const encoder = openEncoder({ libav, format: 'mp3', sampleRateHz, name: `early-${count}` })
    encoder.push(samples.subarray(0, sampleRateHz))
    encoder.close()
  }
  const before = filledBytes()
  for (let count = 0; count < 30; count++) {
    const encoder = openEncoder({ libav, format: 'mp3', sampleRateHz, name: `early-${count}` })
    encoder.push(samples.subarray(0, 2000))
    encoder.close()
  }
  expect(filledBytes()).toBe(before)
})
