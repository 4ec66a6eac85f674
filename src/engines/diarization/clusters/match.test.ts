import { expect, test } from 'bun:test'
import { matchRows } from './match.ts'

test('each row has its best column', () => {
  expect(matchRows([[0.1, 0.9]])).toEqual([1])
  expect(
    matchRows([
      [0.9, 0.1, 0],
      [0, 0.2, 0.8],
    ]),
  ).toEqual([0, 2])
})

test('no column twice: the sum of the scores decides who has it', () => {
  expect(
    matchRows([
      [0.9, 0.8],
      [0.9, 0.1],
    ]),
  ).toEqual([1, 0])
  expect(
    matchRows([
      [0.9, 0.8, 0],
      [0.9, 0.8, 0.7],
      [0.9, 0.2, 0],
    ]),
  ).toEqual([1, 2, 0])
})

test('rows for which no column is left share the best one of theirs', () => {
  expect(matchRows([[0.3], [0.9]])).toEqual([0, 0])
  expect(
    matchRows([
      [0.9, 0.1],
      [0.2, 0.8],
      [0.3, 0.4],
    ]),
  ).toEqual([0, 1, 1])
  expect(matchRows([])).toEqual([])
})

test('it is the best of all ways to match', () => {
  let seed = 1
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
  for (let round = 0; round < 200; round++) {
    const scores = Array.from({ length: 3 }, () => Array.from({ length: 5 }, random))
    const sum = (columns: readonly number[]) =>
      columns.reduce((total, column, row) => total + (scores[row]?.[column] ?? 0), 0)
    let best = 0
    for (let ways = 0; ways < 125; ways++) {
      const columns = [ways % 5, Math.floor(ways / 5) % 5, Math.floor(ways / 25)]
      if (new Set(columns).size === 3) best = Math.max(best, sum(columns))
    }
    expect(sum(matchRows(scores))).toBeCloseTo(best, 9)
  }
})
