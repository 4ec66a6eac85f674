import { expect, test } from 'bun:test'
import { rangeOf } from './usage-range.ts'

const nowMs = Date.UTC(2026, 2, 1, 23, 59)

test('spans are whole UTC days, with today in them', () => {
  expect(rangeOf('today', nowMs)).toEqual({ fromMs: Date.UTC(2026, 2, 1), toMs: undefined, days: ['2026-03-01'] })
  expect(rangeOf('week', nowMs).days).toHaveLength(7)
  expect(rangeOf('week', nowMs).days[0]).toBe('2026-02-23')
})

test('the last month ends where this one begins', () => {
  const { fromMs, toMs, days } = rangeOf('last', nowMs)
  expect([fromMs, toMs, days.length]).toEqual([Date.UTC(2026, 1), rangeOf('this', nowMs).fromMs, 28])
})
