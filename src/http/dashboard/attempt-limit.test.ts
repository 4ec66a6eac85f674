import { expect, test } from 'bun:test'
import { AttemptLimit } from './attempt-limit.ts'

test('a key has so many attempts in a window, given back when they were right', () => {
  let nowMs = 0
  const limit = new AttemptLimit({ most: 2, windowMs: 1_000, monotonicMs: () => nowMs })
  expect([limit.take('a'), limit.take('a'), limit.take('a')]).toEqual([undefined, undefined, 1])
  expect(limit.take('b')).toBeUndefined()
  limit.giveBack('a')
  expect(limit.take('a')).toBeUndefined()
  nowMs = 999
  expect(limit.take('a')).toBe(1)
  nowMs = 1_000
  expect(limit.take('a')).toBeUndefined()
})

test('whoever tries many keys does not fill the memory', () => {
  const limit = new AttemptLimit({ most: 1, windowMs: 1_000, monotonicMs: () => 0 })
  for (let index = 0; index < 60_000; index++) limit.take(`key ${index}`)
  // The oldest ones are forgotten, the latest are not.
  expect(limit.take('key 0')).toBeUndefined()
  expect(limit.take('key 59999')).toBe(1)
})
