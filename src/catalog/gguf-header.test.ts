import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { damageGguf, type GgufDamage, ggufDamages } from '../testing/gguf/damage-gguf.ts'
import { encodeHeader } from '../testing/gguf/encode-header.ts'
import { readGguf } from '../testing/gguf/read-gguf.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import type { ByteSource } from './gguf-cursor.ts'
import { type GgufHeader, parseGgufHeader } from './gguf-header.ts'
import { FileError } from './stat-file.ts'

// Copied, since slices of a Buffer would share its memory.
const sound = new Uint8Array(tinyGguf({ contextTokens: 2048 }))

/** Returns a source that fails the test if the parser reads outside the file or takes large pieces. */
function source(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read(offset, length) {
      if (offset < 0 || length < 0 || offset + length > bytes.length) throw new Error('read outside the file')
      if (length > 300_000) throw new Error(`a piece of ${length} bytes`)
      return bytes.slice(offset, offset + length)
    },
  }
}

function reasonFor(bytes: Uint8Array): string {
  try {
    parseGgufHeader(source(bytes))
  } catch (error) {
    if (error instanceof FileError) return error.message
    throw error
  }
  return 'accepted'
}

test('a sound file yields what a manifest needs', () => {
  expect(parseGgufHeader(source(sound))).toMatchObject({
    version: 3,
    architecture: 'qwen2',
    contextLength: 2048,
    embeddingLength: 128,
    hasChatTemplate: true,
    splitCount: 1,
  } satisfies Partial<GgufHeader>)
  expect(parseGgufHeader(source(tinyGguf({ chatTemplate: 'none' }))).hasChatTemplate).toBe(false)
})

describe('a damaged file is refused with its reason', () => {
  const reasons: Record<GgufDamage, RegExp> = {
    empty: /^is empty/,
    'wrong-magic': /^is not a GGUF file/,
    'wrong-version': /^has GGUF version 4000000000; 2 and 3 are known/,
    'cut-in-magic': /^is cut short: the magic number needs 4 bytes at offset 0, the file has 3/,
    'cut-in-metadata': /^is cut short/,
    'cut-in-tensor-table': /^is cut short/,
    'cut-in-data': /^is cut short: tensor ".*" ends at byte \d+, the file has \d+/,
    'absurd-tensor-count': /^is damaged: the number of tensors is/,
    'absurd-metadata-count': /^is damaged: the number of keys is/,
    'absurd-key-length': /^is damaged: the length of key 1 of \d+ is/,
    'absurd-dimension': /^is damaged/,
    'offset-past-end': /^is cut short: tensor ".*" ends at byte \d+, the file has \d+/,
  }
  test.each([...ggufDamages])('%s', (damage) => {
    expect(reasonFor(damageGguf(sound, damage))).toMatch(reasons[damage])
  })
})

test('every cut of the file is noticed', () => {
  for (let size = 0; size < sound.length; size += 997) expect(reasonFor(sound.slice(0, size))).not.toBe('accepted')
})

test('counts that would only cost time or memory are refused', () => {
  const header = encodeHeader(new Map([['general.architecture', { type: 'string', value: 'x' }]]), [])
  const withCounts = (tensors: bigint, keys: bigint) => {
    const bytes = header.slice()
    new DataView(bytes.buffer).setBigUint64(8, tensors, true)
    new DataView(bytes.buffer).setBigUint64(16, keys, true)
    return reasonFor(bytes)
  }
  expect(withCounts(0n, 1n)).toBe('accepted')
  expect(withCounts(65_537n, 1n)).toBe('is damaged: it claims to hold 65537 tensors')
  expect(withCounts(0n, 8_193n)).toBe('is damaged: it claims to hold 8193 keys')
})

test('a file for big-endian machines is named as such', () => {
  const bytes = sound.slice()
  new DataView(bytes.buffer).setUint32(4, 3, false)
  expect(reasonFor(bytes)).toBe('is written for big-endian machines')
})

test('a key that comes twice is refused', () => {
  const value = { type: 'uint32', value: 1 } as const
  const bytes = encodeHeader(
    new Map([
      ['first', value],
      ['other', value],
    ]),
    [],
  )
  expect(reasonFor(bytes)).toBe('accepted')
  bytes.set(new TextEncoder().encode('first'), new TextDecoder('latin1').decode(bytes).indexOf('other'))
  expect(reasonFor(bytes)).toBe('is damaged: key "first" comes twice')
})

test('an alignment that is no power of two is refused', () => {
  const withAlignment = (value: number) =>
    reasonFor(encodeHeader(new Map([['general.alignment', { type: 'uint32', value }]]), []))
  expect(withAlignment(64)).toBe('accepted')
  for (const value of [0, 3, 48]) expect(withAlignment(value)).toMatch(/general.alignment is not a power of two/)
})

test('tensors that do not follow each other are refused', () => {
  const tensor = { type: 'f32', dimensions: [32], fill: { kind: 'constant', value: 0 } } as const
  const header = encodeHeader(new Map(), [
    { ...tensor, name: 'a' },
    { ...tensor, name: 'b' },
  ])
  const bytes = new Uint8Array(header.length + 512)
  bytes.set(header)
  expect(reasonFor(bytes)).toBe('accepted')
  const { tensors } = readGguf(bytes)
  new DataView(bytes.buffer).setBigUint64(tensors[1]?.offsetPosition ?? 0, 64n, true)
  expect(reasonFor(bytes)).toBe('is damaged: tensor "b" lies at 64 instead of 128')
})

test('a row that is no whole number of blocks is refused', () => {
  const bytes = sound.slice()
  const tensor = readGguf(sound).tensors[0]
  new DataView(bytes.buffer).setUint32((tensor?.offsetPosition ?? 0) - 4, 12, true) // Q4_K: blocks of 256
  new DataView(bytes.buffer).setBigUint64(tensor?.dimensionsPosition ?? 0, 100n, true)
  expect(reasonFor(bytes)).toMatch(/^is damaged: a row of tensor 1 of \d+ has 100 numbers, Q4_K needs blocks of 256/)
})

test('strings in arrays are limited over the whole file', () => {
  const bytes = encodeHeader(
    new Map([
      ['first', { type: 'strings', values: [''] }],
      ['other', { type: 'strings', values: [''] }],
    ]),
    [],
  )
  expect(reasonFor(bytes)).toBe('accepted')
  const keyAndTypesBytes = 'other'.length + 8
  const countPosition = new TextDecoder('latin1').decode(bytes).indexOf('other') + keyAndTypesBytes
  new DataView(bytes.buffer).setBigUint64(countPosition, 4_194_304n, true)
  expect(reasonFor(bytes)).toMatch(/claims to hold 4194304 strings in the value of "other"/)
})

test('no mutation makes the parser throw anything else, read outside the file or take long', () => {
  const headerBytes = 40_000
  const change = fc.oneof(
    fc.record({ kind: fc.constant('byte' as const), at: fc.nat(headerBytes), value: fc.nat(255) }),
    fc.record({ kind: fc.constant('u32' as const), at: fc.nat(headerBytes), value: fc.nat(0xffffffff) }),
    fc.record({
      kind: fc.constant('u64' as const),
      at: fc.nat(headerBytes),
      value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    }),
    fc.record({ kind: fc.constant('cut' as const), at: fc.nat(sound.length), value: fc.constant(0) }),
    fc.record({
      kind: fc.constant('remove' as const),
      at: fc.nat(headerBytes),
      value: fc.integer({ min: 1, max: 64 }),
    }),
  )
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      let bytes = sound.slice()
      for (const { kind, at, value } of changes) {
        const view = new DataView(bytes.buffer)
        if (kind === 'cut') bytes = bytes.slice(0, at)
        else if (at + 8 > bytes.length) continue
        else if (kind === 'byte') view.setUint8(at, value)
        else if (kind === 'u32') view.setUint32(at, value, true)
        else if (kind === 'u64') view.setBigUint64(at, value, true)
        else bytes = new Uint8Array(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + value)]))
      }
      const startedAtMs = performance.now()
      reasonFor(bytes) // throws whatever is not a FileError
      return performance.now() - startedAtMs < 1000
    }),
    { numRuns: 300 },
  )
})

test('random bytes behind the magic number are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4096 }), (rest) => {
      const bytes = Uint8Array.from([...new TextEncoder().encode('GGUF'), 3, 0, 0, 0, ...rest])
      return reasonFor(bytes) !== undefined
    }),
    { numRuns: 300 },
  )
})
