import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chunkBytes } from './chunk-sum.ts'
import { checkedLock, lockName, type ModelLock, readLock, writeLock } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-lock-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sum = 'a'.repeat(64)
const chunkSum = 'a'.repeat(16)
const file = {
  role: 'model',
  name: 'model.gguf',
  bytes: chunkBytes + 1,
  sha256: sum,
  chunkSums: [chunkSum, chunkSum],
  source: 'hf:org/repo/model.gguf',
  commit: undefined,
  verifiedAtMs: 1,
  stat: { mtimeMs: 1.5, inode: 2 },
}
const lock: ModelLock = { format: 1, modelId: 'org/name', files: [file] }

test('a lock is read as it was written, and nothing else is left in the folder', async () => {
  expect(readLock(folder)).toBeUndefined()
  await writeLock(folder, lock)
  await writeLock(folder, lock)
  expect(readLock(folder)).toEqual({ ...lock, files: [{ ...file }] })
  expect(readdirSync(folder)).toEqual([lockName])
  writeFileSync(join(folder, lockName), '{')
  expect(() => readLock(folder)).toThrow('is damaged: it is not JSON')
})

test.each([
  [{ format: 2 }, '"format" is not 1'],
  [{ modelId: '../name' }, '"modelId" is not <org>/<model-name>'],
  [{ extra: 1 }, '"extra" is not'],
  [{ files: [{ ...file, sha256: 'A'.repeat(64) }] }, '"files.0.sha256" is not 64 lower-case hexadecimal digits'],
  [{ files: [{ ...file, bytes: 1.5 }] }, '"files.0.bytes" is not a number of bytes'],
  [{ files: [{ ...file, chunkSums: [chunkSum] }] }, `model.gguf has 1 sums for ${chunkBytes + 1} bytes`],
  [{ files: [file, { ...file, name: 'Model.gguf' }] }, 'the name "Model.gguf" comes twice'],
])('the lock with %j is damaged', (change, message) => {
  expect(() => checkedLock(JSON.stringify({ ...lock, ...change }))).toThrow(message)
})

test.each([
  ...[
    '',
    '/etc/passwd',
    '../x',
    'a/../x',
    'a//b',
    './x',
    'a/.',
    '.hidden',
    'a\\b',
    'C:x',
    'x\u0000',
    'x\n',
    'x ',
    'x.',
  ],
  ...['a/b/c/d/e/f/g/h/i', 'x'.repeat(201), 'lock.json', 'a/lock.json', 'x.part', 'x.part.json', 'x.tmp'],
])('a lock cannot name the file %j', (name) => {
  expect(() => checkedLock(JSON.stringify({ ...lock, files: [{ ...file, name }] }))).toThrow('is damaged: the name')
})

test.each(['1_Pooling/config.json', 'model-00001-of-00002.gguf', 'a/b/model.onnx_data'])('%s is a name', (name) => {
  expect(checkedLock(JSON.stringify({ ...lock, files: [{ ...file, name }] })).files[0]?.name).toBe(name)
})
