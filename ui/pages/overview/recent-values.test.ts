import { expect, test } from 'bun:test'
import { joined, recentValues, samplesOf } from './recent-values.ts'

const nowMs = Date.parse('2026-11-22T10:00:00Z')

test('the last ten minutes are means of five seconds each, null where nothing is known', () => {
  const values = recentValues(
    [
      { atMs: nowMs - 11 * 60_000, value: 99 },
      { atMs: nowMs - 20_000, value: 10 },
      { atMs: nowMs - 19_000, value: 20 },
      { atMs: nowMs, value: 4 },
    ],
    nowMs,
  )
  expect(values.length).toBe(120)
  expect(values.slice(-6)).toEqual([null, 15, null, null, null, 4])
  expect(values.filter((value) => value !== null)).toEqual([15, 4])
})

test('what was heard since the history was read goes on behind it', () => {
  const history = {
    ...{ window: '10m', step_s: 1, from: '2026-11-22T10:00:00.000Z', since: null },
    columns: [
      { name: 'running', unit: 'requests' },
      { name: 'output_tokens_per_s', unit: 'tokens/s' },
    ],
    rows: [[1, 50], null, [1, 70]],
  }
  const live = [
    { atMs: nowMs + 1_500, value: 1 },
    { atMs: nowMs + 3_000, value: 80 },
  ]
  expect(joined(samplesOf(history, 'output_tokens_per_s'), live)).toEqual([
    { atMs: nowMs, value: 50 },
    { atMs: nowMs + 2_000, value: 70 },
    { atMs: nowMs + 3_000, value: 80 },
  ])
})
