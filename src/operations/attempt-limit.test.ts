import { expect, test } from 'bun:test'
import { AttemptLimit } from './attempt-limits.ts'
import { OperationError } from './problem.ts'

/** Takes an attempt. Returns the seconds to wait, or undefined if it was allowed. */
function take(limit: AttemptLimit, key: string): number | undefined {
  try {
    limit.take(key)
    return undefined
  } catch (error) {
    if (error instanceof OperationError && error.problem.code === 'too_many_attempts') {
      return error.problem.retryAfterSeconds
    }
    throw error
  }
}

test('a key has so many attempts in a window, given back when they were right', () => {
  let nowMs = 0
  const limit = new AttemptLimit({ maximum: 2, windowMs: 1_000, monotonicMs: () => nowMs })
  expect([take(limit, 'a'), take(limit, 'a'), take(limit, 'a')]).toEqual([undefined, undefined, 1])
  expect(take(limit, 'b')).toBeUndefined()
  limit.giveBack('a')
  expect(take(limit, 'a')).toBeUndefined()
  nowMs = 999
  expect(take(limit, 'a')).toBe(1)
  nowMs = 1_000
  expect(take(limit, 'a')).toBeUndefined()
})

test('attempts with many keys do not fill the memory', () => {
  const limit = new AttemptLimit({ maximum: 1, windowMs: 1_000, monotonicMs: () => 0 })
  for (let index = 0; index < 60_000; index++) take(limit, `key ${index}`)
  // The oldest keys are forgotten, the latest are kept.
  expect(take(limit, 'key 0')).toBeUndefined()
  expect(take(limit, 'key 59999')).toBe(1)
})
