import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chunkSumOf } from '../testing/chunk-sum-of.ts'
import { chunkBytes } from './chunk-sum.ts'
import { hashFile } from './hash-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-hash-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test.each([0, 5, chunkBytes, chunkBytes + 3])(
  'a file of %d bytes has a sum, and one for each 64 MiB',
  async (bytes) => {
    const content = new Uint8Array(bytes).map((_, index) => index % 251)
    const path = join(folder, 'file')
    writeFileSync(path, content)
    const chunks = bytes === 0 ? [] : [content.subarray(0, chunkBytes), content.subarray(chunkBytes)]
    expect(await hashFile(path)).toEqual({
      bytes,
      sha256: sumOf(content),
      chunkSums: chunks.filter((chunk) => chunk.length > 0).map(chunkSumOf),
    })
  },
)

test('hashing ends when its signal aborts', async () => {
  const path = join(folder, 'file')
  writeFileSync(path, new Uint8Array(10))
  expect(hashFile(path, { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped')
})
