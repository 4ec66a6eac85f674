import { expect, test } from 'bun:test'
import { readRetryAfterMs } from './retry-after.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')

test.each<[value: string | null, waitMs: number | undefined]>([
  ['0', 0],
  ['7', 7_000],
  [' 120 ', 120_000],
  ['1.5', 1_500],
  ['0.0005', 1],
  ['1e3', 1_000_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
])('%p', (value, waitMs) => {
  expect(readRetryAfterMs(value, nowMs)).toBe(waitMs)
})

test('a negative number never gives a negative wait', () => {
  expect(readRetryAfterMs('-1', nowMs) ?? 0).toBeGreaterThanOrEqual(0)
})
