import { expect, test } from 'bun:test'
import { durationText, timeFromNow } from './time-text.ts'

test('a time is told by its distance from now', () => {
  const minuteMs = 60_000
  expect(timeFromNow(0, 1_000)).toBe('now')
  expect(timeFromNow(0, 3 * minuteMs)).toBe('3 min. ago')
  expect(timeFromNow(2 * 24 * 60 * minuteMs, 0)).toBe('in 2 days')
  expect(timeFromNow(0, 40 * 24 * 60 * minuteMs)).toBe('last month')
})

test('a duration has two units at most', () => {
  expect([340, 2_510, 12_500, 200_000, 1_051_200_000].map(durationText)).toEqual([
    ...['340 ms', '2.51 s', '12.5 s', '3 min 20 s', '12 d 4 h'],
  ])
})
