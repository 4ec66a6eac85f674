import { expect, test } from 'bun:test'
import { minuteMs } from '../core/durations.ts'
import { Latencies, quantile, Series } from './history.ts'
import { TimeRing } from './time-ring.ts'

test('samples of one step become their mean, and a step without samples is unknown', () => {
  const ring = new TimeRing({ stepMs: 1_000, steps: 5, columns: 2 })
  ring.add(10_000, [1, 10])
  ring.add(10_500, [3, 30])
  ring.add(12_000, [5, 50])
  expect(ring.read(12_900)).toEqual({ stepMs: 1_000, fromMs: 10_000, rows: [[2, 20], null, [5, 50]] })
})

test('the oldest steps make room, and nothing of them is left behind', () => {
  const ring = new TimeRing({ stepMs: 1_000, steps: 3, columns: 1 })
  for (let second = 0; second < 1_000; second++) ring.add(second * 1_000, [second])
  expect(ring.read(999_000)).toEqual({ stepMs: 1_000, fromMs: 997_000, rows: [[997], [998], [999]] })
  expect(ring.read(1_001_000).rows).toEqual([[999], null, null])
})

test('a clock that was far ahead and is put right begins a new history', () => {
  const ring = new TimeRing({ stepMs: 1_000, steps: 3, columns: 1 })
  ring.add(9_000_000, [1])
  ring.add(10_000, [3])
  ring.add(11_000, [4])
  expect(ring.read(11_000)).toEqual({ stepMs: 1_000, fromMs: 10_000, rows: [[3], [4]] })
})

test('a clock that is set back a little loses nothing', () => {
  const ring = new TimeRing({ stepMs: 1_000, steps: 3, columns: 1 })
  ring.add(10_000, [1])
  ring.add(8_000, [3])
  expect(ring.read(8_000)).toEqual({ stepMs: 1_000, fromMs: 10_000, rows: [[2]] })
})

test('ten minutes are kept by the second and a day by the minute', () => {
  const series = new Series('rates')
  const nowMs = 2 * 24 * 60 * minuteMs
  for (let atMs = nowMs - 30 * 60 * minuteMs; atMs < nowMs; atMs += 10_000) series.add(atMs, [6, 0, 1, 0, 0])
  const [fine, coarse] = [series.read('10m', nowMs - 1), series.read('24h', nowMs - 1)]
  expect([fine.stepMs, fine.rows.length, coarse.stepMs, coarse.rows.length]).toEqual([1_000, 600, 60_000, 1_440])
  expect(coarse.rows.every((row) => row?.[0] === 6)).toBe(true)
})

test('the time to the first output is told by the minute, the one that goes on included', () => {
  const latencies = new Latencies()
  for (let ms = 1; ms <= 100; ms++) latencies.add(5 * minuteMs, ms)
  latencies.add(7 * minuteMs, 40)
  expect(latencies.read('10m', 7 * minuteMs + 1)).toEqual({
    stepMs: minuteMs,
    fromMs: 5 * minuteMs,
    rows: [[50, 95, 100], null, [40, 40, 1]],
  })
})

test('quantiles are values that occurred', () => {
  expect([quantile([], 0.5), quantile([7], 0.95), quantile([1, 2, 3, 4], 0.5)]).toEqual([0, 7, 2])
})
