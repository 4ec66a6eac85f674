import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileBytes } from './file-bytes.ts'
import { plainSamples, readPlainSamples } from './plain-samples.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-plain-'))
const path = join(folder, 'recording.wav')
afterAll(() => rmSync(folder, { recursive: true }))

function chunk(name: string, content: Uint8Array, size = content.length): Buffer {
  const head = Buffer.from(`${name}....`, 'latin1')
  head.writeUInt32LE(size, 4)
  return Buffer.concat([head, content, new Uint8Array(content.length % 2)])
}

function format({ kind = 1, channels = 1, rate = 16_000, bits = 16 } = {}): Buffer {
  const content = Buffer.alloc(16)
  content.writeUInt16LE(kind, 0)
  content.writeUInt16LE(channels, 2)
  content.writeUInt32LE(rate, 4)
  content.writeUInt32LE((rate * channels * bits) / 8, 8)
  content.writeUInt16LE((channels * bits) / 8, 12)
  content.writeUInt16LE(bits, 14)
  return chunk('fmt ', content)
}

const samples = Uint8Array.from({ length: 600_000 }, (_, index) => index % 251)
const list = chunk('LIST', Buffer.from('INFO odd'.slice(0, 7), 'latin1'))
const riff = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1')

async function read(chunks: readonly Uint8Array[], head: Uint8Array = riff): Promise<Uint8Array | undefined> {
  writeFileSync(path, Buffer.concat([head, ...chunks]))
  using file = openFileBytes(path)
  const found = plainSamples(file, { container: 'wav', startByte: head.length - 12 })
  if (found === undefined) return undefined
  const pieces = await Array.fromAsync(readPlainSamples(path, found, new AbortController().signal))
  return new Uint8Array(Buffer.concat(pieces))
}

test.each([
  ['bare samples', [format(), chunk('data', samples)], riff],
  ['samples between other chunks', [list, format(), list, chunk('data', samples), list, list], riff],
  ['samples behind a tag', [format(), chunk('data', samples)], Buffer.concat([Buffer.from('ID3 tag'), riff])],
] as const)('%s of a WAV file are as engines read them', async (_, chunks, head) => {
  expect(await read(chunks, head)).toEqual(samples)
})

test.each([
  ['another rate', [format({ rate: 44_100 }), chunk('data', samples)]],
  ['two channels', [format({ channels: 2 }), chunk('data', samples)]],
  ['8 bits', [format({ bits: 8 }), chunk('data', samples)]],
  ['floating-point numbers', [format({ kind: 3 }), chunk('data', samples)]],
  ['a format of its own', [format({ kind: 0xfffe }), chunk('data', samples)]],
  ['no format', [chunk('data', samples)]],
  ['two formats', [format(), format(), chunk('data', samples)]],
  ['a format behind the samples', [chunk('data', samples), format()]],
  ['samples of a stream, whose number nobody knew', [format(), chunk('data', samples, 0xffff_ffff)]],
  ['a number of samples of 0', [format(), chunk('data', samples, 0)]],
  ['fewer samples than it says', [format(), chunk('data', samples.subarray(0, 99), 100_000)]],
  ['half a sample', [format(), chunk('data', samples.subarray(0, 99))]],
  ['two chunks of samples', [format(), chunk('data', samples), chunk('data', samples)]],
  ['something else at its end', [format(), chunk('data', samples), Buffer.from('ID3\x04\0\0\0\0\0\x0a0123456789')]],
  ['another recording at its end', [format(), chunk('data', samples), riff, format(), chunk('data', samples)]],
])('a file with %s is left to decoders', async (_, chunks) => {
  expect(await read(chunks)).toBeUndefined()
})

test('a large form of WAV is left to decoders', async () => {
  const large = Buffer.from('RF64\0\0\0\0WAVE', 'latin1')
  expect(await read([format(), chunk('data', samples)], large)).toBeUndefined()
})
