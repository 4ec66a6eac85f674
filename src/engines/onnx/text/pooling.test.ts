import { expect, test } from 'bun:test'
import { poolRows } from './pooling.ts'

/** Two rows of three tokens with two dimensions. The second row has two own tokens; 99 marks padding. */
const right = { shape: [2, 3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 99, 99) }
const left = { shape: [2, 3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6, 99, 99, 10, 20, 30, 40) }
const lengths = [3, 2]

test.each([
  ['mean', [3, 4, 20, 30]],
  ['cls', [1, 2, 10, 20]],
  ['last', [5, 6, 30, 40]],
] as const)('%s looks at a text alone, wherever it is padded', (pooling, expected) => {
  expect([...poolRows(right, lengths, { pooling, padding: 'right' }).values]).toEqual([...expected])
  expect([...poolRows(left, lengths, { pooling, padding: 'left' }).values]).toEqual([...expected])
})

test('takes what the graph has pooled as it is', () => {
  const tensor = { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) }
  const pooled = poolRows(tensor, lengths, { pooling: 'none', padding: 'right' })
  expect(pooled).toEqual({ dimensions: 2, values: Float32Array.of(1, 2, 3, 4) })
})

test("sums are divided by the number of a text's own tokens", () => {
  const tensor = { shape: [2, 2], data: Float32Array.of(3, 6, 4, 8) }
  for (const padding of ['left', 'right'] as const) {
    expect([...poolRows(tensor, lengths, { pooling: 'sums', padding }).values]).toEqual([1, 2, 2, 4])
  }
})

test.each([
  ['a graph that has pooled', { shape: [2, 2], data: new Float32Array(4) }, 'mean'],
  ['a graph that has not', right, 'none'],
  ['another number of rows', { shape: [3, 3, 2], data: new Float32Array(18) }, 'cls'],
  ['a single number', { shape: [], data: new Float32Array(1) }, 'cls'],
] as const)('says so when the settings speak of something else: %s', (_, tensor, pooling) => {
  expect(() => poolRows(tensor, lengths, { pooling, padding: 'right' })).toThrow('does not go with pooling')
})
