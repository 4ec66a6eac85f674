import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readModelMetadata } from './model-metadata.ts'

const starter = join(import.meta.dir, '../../../../models/starter')
const folder = mkdtempSync(join(tmpdir(), 'inferd-metadata-'))
afterAll(() => rmSync(folder, { recursive: true }))

function written(...bytes: readonly number[]): string {
  const path = join(folder, 'model.onnx')
  writeFileSync(path, Uint8Array.from(bytes))
  return path
}

test('what a model says of itself is read from its file', () => {
  const segmentation = readModelMetadata(join(starter, 'starter-segmentation.onnx'))
  expect(segmentation.get('window_size')).toBe('160000')
  expect(segmentation.get('receptive_field_shift')).toBe('270')
  expect(readModelMetadata(join(starter, 'starter-speaker-embedding.onnx')).get('framework')).toBe('wespeaker')
})

test('a model may say nothing', () => {
  expect([...readModelMetadata(join(starter, 'starter-embed.onnx')).keys()]).not.toContain('window_size')
  expect(readModelMetadata(written()).size).toBe(0)
})

test('entries stand among fields of all types', () => {
  const entry = [(14 << 3) | 2, 6, 0x0a, 1, 107, 0x12, 1, 118] // { key: 'k', value: 'v' }
  const number = [(1 << 3) | 0, 0x88, 0x01]
  const eight = [(2 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8]
  const four = [(3 << 3) | 5, 1, 2, 3, 4]
  expect([...readModelMetadata(written(...number, ...eight, ...entry, ...four))]).toEqual([['k', 'v']])
})

test.each([
  ['text', [...Buffer.from('this is no model')]],
  ['a number without end', [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
])('%s is no model', (_, bytes) => {
  expect(() => readModelMetadata(written(...bytes))).toThrow('the file is no ONNX model')
})
