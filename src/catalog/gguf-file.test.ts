import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeHeader } from '../testing/gguf/encode-header.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import type { GgufMetadata } from '../testing/gguf/value.ts'
import { GgufFiles, ggufParts, isLaterGgufPart } from './gguf-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-gguf-'))

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

/** Returns a part of a split model, with its own keys and one tensor. */
function part(keys: GgufMetadata, tensor: string): Uint8Array {
  const header = encodeHeader(keys, [
    { name: tensor, type: 'f32', dimensions: [32], fill: { kind: 'constant', value: 0 } },
  ])
  return Buffer.concat([header, new Uint8Array(128)])
}

const splitKeys: GgufMetadata = new Map([
  ['general.architecture', { type: 'string', value: 'llama' }],
  ['split.count', { type: 'uint32', value: 2 }],
])

test('a whole file is accepted', () => {
  expect(new GgufFiles().check(write('tiny.gguf', tinyGguf())).architecture).toBe('qwen2')
})

test('what is no file is refused', () => {
  const files = new GgufFiles()
  expect(() => files.check(join(folder, 'nothing.gguf'))).toThrow('is missing')
  expect(() => files.check(folder)).toThrow('is not a file')
})

test('a vocabulary without weights is refused', () => {
  const bytes = encodeHeader(new Map([['general.architecture', { type: 'string', value: 'llama' }]]), [])
  expect(() => new GgufFiles().check(write('vocabulary.gguf', bytes))).toThrow('holds no weights')
})

test('a file without an architecture is refused', () => {
  expect(() => new GgufFiles().check(write('nameless.gguf', part(new Map(), 'a')))).toThrow('architecture')
})

test('a split model is accepted when all its parts are there and whole', () => {
  const first = write('split-00001-of-00002.gguf', part(splitKeys, 'a'))
  const second = join(folder, 'split-00002-of-00002.gguf')
  const files = new GgufFiles()
  expect(() => files.check(first)).toThrow('its part 2 of 2 is missing')
  writeFileSync(second, part(new Map(), 'b').subarray(0, 60))
  expect(() => files.check(first)).toThrow(/its part 2 of 2 is cut short/)
  writeFileSync(second, part(new Map(), 'b'))
  expect(files.check(first)).toMatchObject({ tensorCount: 2, parameterCount: 64 })
  expect(() => files.check(second)).toThrow('is part 2 of a split model; name part 1')
})

test('a part under a name that hides the others is refused', () => {
  const path = write('renamed.gguf', part(splitKeys, 'a'))
  expect(() => new GgufFiles().check(path)).toThrow('is 1 of 2 files, but its name says 1')
})

test('a file that changed is checked again, also when its size and its time are the same', () => {
  const path = write('changing.gguf', tinyGguf())
  const files = new GgufFiles()
  const time = new Date(1_700_000_000_000)
  utimesSync(path, time, time)
  expect(files.check(path).architecture).toBe('qwen2')
  writeFileSync(path, new Uint8Array(tinyGguf().length))
  utimesSync(path, time, time)
  expect(() => files.check(path)).toThrow('is not a GGUF file')
  rmSync(path)
  expect(() => files.check(path)).toThrow('is missing')
})

test('an encoder is refused where a chat model is wanted', () => {
  const bytes = part(new Map([['general.architecture', { type: 'string', value: 'nomic-bert' }]]), 'a')
  const path = write('encoder.gguf', bytes)
  expect(() => new GgufFiles().checkChatModel(path)).toThrow('is no chat model (architecture "nomic-bert")')
})

test('an architecture name with control characters is refused', () => {
  const bytes = part(new Map([['general.architecture', { type: 'string', value: 'qwen2\x1b[2J' }]]), 'a')
  expect(() => new GgufFiles().check(write('escape.gguf', bytes))).toThrow('does not name its architecture')
})

test('data behind the last tensor is refused, padding is not', () => {
  const padded = write('padded.gguf', Buffer.concat([tinyGguf(), new Uint8Array(65_536)]))
  expect(new GgufFiles().check(padded).architecture).toBe('qwen2')
  const trailing = write('trailing.gguf', Buffer.concat([tinyGguf(), new Uint8Array(65_537)]))
  expect(() => new GgufFiles().check(trailing)).toThrow('is damaged: 65537 bytes follow its last tensor')
})

test('the parts of a split model are named after the first', () => {
  expect(ggufParts('/m/big-00001-of-00003.gguf')).toEqual([
    '/m/big-00001-of-00003.gguf',
    '/m/big-00002-of-00003.gguf',
    '/m/big-00003-of-00003.gguf',
  ])
  expect(ggufParts('/m/small.gguf')).toEqual(['/m/small.gguf'])
  const names = ['/m/big-00001-of-00003.gguf', '/m/big-00003-of-00003.gguf', '/m/small.gguf']
  expect(names.map(isLaterGgufPart)).toEqual([false, true, false])
})
