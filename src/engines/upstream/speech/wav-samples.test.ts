import { expect, test } from 'bun:test'
import { wavHeader } from '../../../core/wav-header.ts'
import { toSpokenSamples } from './spoken-samples.ts'
import { openWav } from './wav-samples.ts'

async function* cut(bytes: Uint8Array, at: number): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, at)
  yield bytes.subarray(at)
}

const samples = Int16Array.from({ length: 48 }, (_, at) => at * 100)
const data = new Uint8Array(samples.buffer)
const file = Buffer.concat([wavHeader(data.length, 48_000), data])

async function read(pieces: AsyncGenerator<Uint8Array>) {
  const wav = await openWav(pieces)
  return { ...wav, bytes: Buffer.concat(await Array.fromAsync(wav.samples)) }
}

test('the samples of a file that is cut at any byte', async () => {
  for (let at = 0; at <= file.length; at++) {
    const { sampleRateHz, channels, bytes } = await read(cut(file, at))
    expect([sampleRateHz, channels, bytes.equals(data)]).toEqual([48_000, 1, true])
  }
})

test.each([undefined, 0])('a size that its server did not know: %p', async (size) => {
  const { bytes } = await read(cut(Buffer.concat([wavHeader(size, 24_000), data]), 50))
  expect(bytes.length).toBe(data.length)
})

test('chunks before and behind the samples are none of them', async () => {
  const list = Buffer.from('LIST\x05\0\0\0INFOx\0', 'latin1')
  const header = wavHeader(data.length, 24_000)
  const whole = Buffer.concat([header.subarray(0, 36), list, header.subarray(36), data, list])
  expect((await read(cut(whole, 60))).bytes.equals(data)).toBe(true)
})

test.each<[what: string, bytes: Uint8Array]>([
  ['a message', Buffer.from('{"error":"no such voice"}')],
  ['nothing', new Uint8Array()],
  ['a cut header', file.subarray(0, 30)],
  ['8 bits', Buffer.concat([file.subarray(0, 34), Uint8Array.of(8), file.subarray(35)])],
  ['floating-point numbers', Buffer.concat([file.subarray(0, 20), Uint8Array.of(3), file.subarray(21)])],
  [
    'a header without end',
    Buffer.concat([file.subarray(0, 36), Buffer.from('junk\xff\xff\xff\x0f', 'latin1'), Buffer.alloc(99_999)]),
  ],
])('%s is refused', async (_, bytes) => {
  await expect(openWav(cut(bytes, 5))).rejects.toThrow('no WAV file')
})

test('every second sample of 48 kHz, wherever it is cut', async () => {
  for (let at = 0; at <= data.length; at += 7) {
    const pieces = await Array.fromAsync(toSpokenSamples(cut(data, at), { sampleRateHz: 48_000, channels: 1 }))
    const made = new Int16Array(Uint8Array.from(Buffer.concat(pieces)).buffer)
    expect([...made]).toEqual([...samples].filter((_, index) => index % 2 === 0))
  }
})

test('16 kHz in between, two channels as one', async () => {
  const stereo = Int16Array.of(0, 0, 300, 900, 1_200, 1_200)
  const pieces = await Array.fromAsync(
    toSpokenSamples(cut(new Uint8Array(stereo.buffer), 3), { sampleRateHz: 16_000, channels: 2 }),
  )
  const made = new Int16Array(Uint8Array.from(Buffer.concat(pieces)).buffer)
  expect([...made]).toEqual([0, 400, 800, 1_200])
})

test('24 kHz passes as it is', async () => {
  const pieces = await Array.fromAsync(toSpokenSamples(cut(data, 3), { sampleRateHz: 24_000, channels: 1 }))
  expect(Buffer.concat(pieces).equals(data)).toBe(true)
})
