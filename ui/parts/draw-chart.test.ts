import { expect, test } from 'bun:test'
import { lonePoints } from './draw-chart.ts'

test('a value between two times of which nothing is known is a point', () => {
  expect(lonePoints([1, null, 2, 3, null, 0, null, 4])).toEqual([0, 5, 7])
  expect(lonePoints([null, 5, 6])).toEqual([])
  expect(lonePoints([])).toEqual([])
})
