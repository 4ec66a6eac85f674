import { expect, test } from 'bun:test'
import { RandomWords } from '../../../src/testing/gguf/random-words.ts'
import { bestAssignment } from './assignment.ts'

test('the sum counts, not the largest gain', () => {
  expect(
    bestAssignment([
      [10, 9],
      [9, 1],
    ]),
  ).toEqual([1, 0])
})

test('there may be more rows than columns, or more columns than rows', () => {
  expect(bestAssignment([[1], [3], [2]])).toEqual([-1, 0, -1])
  expect(bestAssignment([[1, 3, 2]])).toEqual([1])
  expect(bestAssignment([])).toEqual([])
  expect(bestAssignment([[], []])).toEqual([-1, -1])
})

function sumOf(gains: number[][], assigned: readonly number[]): number {
  return assigned.reduce((sum, column, row) => sum + (gains[row]?.[column] ?? 0), 0)
}

/** Returns the best sum of all assignments, tried one by one. */
function bestSum(gains: number[][], row: number, taken: readonly number[]): number {
  const columns = gains[row]
  if (columns === undefined) return 0
  const placed = columns.map((gain, column) =>
    taken.includes(column) ? 0 : gain + bestSum(gains, row + 1, [...taken, column]),
  )
  return Math.max(bestSum(gains, row + 1, taken), ...placed)
}

test('no other assignment has a larger sum', () => {
  const random = new RandomWords(3)
  for (let round = 0; round < 200; round++) {
    const columns = 1 + random.below(5)
    const gains = Array.from({ length: 1 + random.below(5) }, () =>
      Array.from({ length: columns }, () => random.below(20)),
    )
    const assigned = bestAssignment(gains)
    const used = assigned.filter((column) => column >= 0)
    expect(new Set(used).size).toBe(used.length)
    expect(sumOf(gains, assigned)).toBe(bestSum(gains, 0, []))
  }
})
