import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeHeader } from '../../scripts/gguf/encode-header.ts'
import { tinyGguf } from '../../scripts/gguf/tiny-gguf.ts'
import type { GgufMetadata } from '../../scripts/gguf/value.ts'
import { GgufFiles, ggufParts, isLaterGgufPart } from './gguf-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-gguf-'))

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

/** A part of a split model: its own keys and one tensor. */
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

test('a result is remembered until the file changes', () => {
  const path = write('changing.gguf', tinyGguf())
  const files = new GgufFiles()
  const time = new Date(1_700_000_000_000)
  utimesSync(path, time, time)
  const before = files.check(path)
  // Same size and time, other content: only a remembered result can still be the old one.
  writeFileSync(path, new Uint8Array(tinyGguf().length))
  utimesSync(path, time, time)
  expect(files.check(path)).toEqual(before)
  utimesSync(path, time, new Date(1_700_000_001_000))
  expect(() => files.check(path)).toThrow('is not a GGUF file')
  rmSync(path)
  expect(() => files.check(path)).toThrow('is missing')
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
