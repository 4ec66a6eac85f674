import { expect, test } from 'bun:test'
import { readFrames, toFrame } from './frames.ts'

const values = [{ a: 1 }, 'text', new Uint8Array(70_000).fill(7), null]
const bytes = Buffer.concat(values.map(toFrame))

/** Yields the bytes in pieces of this size. */
async function* inPieces(whole: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

test.each([1, 3, 5, 1000, 65_536, 1e6])('frames survive pieces of %d bytes', async (size) => {
  const read = await Array.fromAsync(readFrames(inPieces(bytes, size), 100_000))
  expect(read).toEqual(values)
})

test('a frame beyond the limit is an error, and a cut one is left out', async () => {
  await expect(Array.fromAsync(readFrames(inPieces(bytes, 1000), 60_000))).rejects.toThrow(RangeError)
  expect(await Array.fromAsync(readFrames(inPieces(bytes.subarray(0, -1), 1000), 100_000))).toEqual(values.slice(0, -1))
})
