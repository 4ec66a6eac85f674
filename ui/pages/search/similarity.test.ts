import { expect, test } from 'bun:test'
import { extremes, similarities } from './similarity.ts'

test('similarities are symmetric, 1 on the diagonal, and do not depend on lengths', () => {
  const matrix = similarities([
    [1, 0],
    [3, 4],
    [0, -2],
  ])
  expect(matrix.map((row) => row.map((value) => Math.round(value * 1_000) / 1_000))).toEqual([
    [1, 0.6, 0],
    [0.6, 1, -0.8],
    [0, -0.8, 1],
  ])
})

test('a vector of zeros is like nothing', () => {
  expect(
    similarities([
      [0, 0],
      [1, 0],
    ]),
  ).toEqual([
    [1, 0],
    [0, 1],
  ])
})

test('the closest and the farthest two of three or more are found', () => {
  const matrix = [
    [1, 0.2, 0.9],
    [0.2, 1, -0.1],
    [0.9, -0.1, 1],
  ]
  expect(extremes(matrix)).toEqual({
    closest: { row: 0, column: 2, similarity: 0.9 },
    farthest: { row: 1, column: 2, similarity: -0.1 },
  })
  expect(extremes(matrix.slice(0, 2).map((row) => row.slice(0, 2)))).toBeUndefined()
  expect(extremes([[1]])).toBeUndefined()
})
