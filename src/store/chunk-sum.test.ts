import { expect, test } from 'bun:test'
import { chunkSumOf } from '../testing/chunk-sum-of.ts'
import { ChunkSum } from './chunk-sum.ts'

const mebibyte = 1024 * 1024
const bytes = new Uint8Array(2 * mebibyte + 5).map((_, index) => index % 251)

test('the sum chains the hashes of pieces of 1 MiB', () => {
  const pieces = [0, 1, 2].map((index) => bytes.subarray(index * mebibyte, (index + 1) * mebibyte))
  const hash = pieces.reduce((seed, piece) => Bun.hash.xxHash64(piece, seed), 0n)
  expect(chunkSumOf(bytes)).toBe(hash.toString(16).padStart(16, '0'))
})

// The sums must never change: locks keep them as long as the models exist.
test.each([
  [new Uint8Array(0), '0000000000000000'],
  [bytes.subarray(0, 5), 'dd0274386e26030c'],
  [bytes, '93897fbc7e6690c2'],
])('a sum is the same in every version', (content, sum) => {
  expect(chunkSumOf(content)).toBe(sum)
})

test.each([[[1]], [[1000, 3]], [[65_536]], [[mebibyte - 1, 2]], [[mebibyte]], [[mebibyte + 1]], [[2 * mebibyte + 4]]])(
  'the sum is the same when bytes come in cuts of %p',
  (cuts) => {
    const sum = new ChunkSum()
    for (let start = 0, turn = 0; start < bytes.length; turn++) {
      const end = start + (cuts[turn % cuts.length] ?? 1)
      sum.add(bytes.subarray(start, end))
      start = end
    }
    expect(sum.end()).toBe(chunkSumOf(bytes))
  },
)
