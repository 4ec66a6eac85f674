import { expect, test } from 'bun:test'
import { monthsUntil, rangeOf, todayText } from './usage-range.ts'

const nowMs = Date.UTC(2026, 2, 1, 23, 59)
const shown = (query: string) => {
  const { name, fromMs, toMs, days } = rangeOf(new URLSearchParams(query), nowMs)
  expect((toMs - fromMs) / 86_400_000).toBe(days.length)
  expect(new Date(fromMs).toISOString()).toBe(`${days[0]}T00:00:00.000Z`)
  return [name, days[0], days.at(-1), days.length]
}

test.each([
  ['', ['days30', '2026-01-31', '2026-03-01', 30]],
  ['range=unknown', ['days30', '2026-01-31', '2026-03-01', 30]],
  ['range=today', ['today', '2026-03-01', '2026-03-01', 1]],
  ['range=week', ['week', '2026-02-23', '2026-03-01', 7]],
  // A month ends with its last day, the present month with today.
  ['range=month', ['month', '2026-03-01', '2026-03-01', 1]],
  ['range=month&month=2026-02', ['month', '2026-02-01', '2026-02-28', 28]],
  ['range=month&month=2024-02', ['month', '2024-02-01', '2024-02-29', 29]],
  ['range=month&month=2027-01', ['month', '2026-03-01', '2026-03-01', 1]],
  ['range=month&month=x', ['month', '2026-03-01', '2026-03-01', 1]],
  // A span includes both days, in whatever order they are given.
  ['range=span&from=2026-02-10&to=2026-02-12', ['span', '2026-02-10', '2026-02-12', 3]],
  ['range=span&from=2026-02-12&to=2026-02-10', ['span', '2026-02-10', '2026-02-12', 3]],
  ['range=span', ['span', '2026-02-23', '2026-03-01', 7]],
  ['range=span&from=2026-99-99', ['span', '2026-02-23', '2026-03-01', 7]],
  ['range=span&from=2030-01-01&to=2031-01-01', ['span', '2026-03-01', '2026-03-01', 1]],
  ['range=span&from=2001-01-01', ['span', '2025-03-01', '2026-03-01', 366]],
] as const)('the range of "%s"', (query, expected) => {
  expect(shown(query)).toEqual([...expected])
})

test('months and the day are those of UTC', () => {
  expect(monthsUntil(nowMs, 4)).toEqual(['2026-03', '2026-02', '2026-01', '2025-12'])
  expect(todayText(nowMs)).toBe('2026-03-01')
})
