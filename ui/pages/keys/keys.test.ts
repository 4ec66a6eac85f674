import { expect, test } from 'bun:test'
import { expiresDays, expiryDay } from './expiry.ts'

const noon = Date.parse('2026-11-22T12:00:00Z')

test('a key ends so many days from now, never after the day that was chosen', () => {
  expect(expiresDays('never', '', noon)).toBeUndefined()
  expect(expiresDays('90', '', noon)).toBe(90)
  expect(expiresDays('date', '2026-12-02', noon)).toBe(9)
  expect(expiresDays('date', '2026-11-23', noon)).toBe(1)
  expect(expiryDay(30, noon)).toBe('2026-12-22')
})
