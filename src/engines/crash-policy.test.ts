import { expect, test } from 'bun:test'
import { decideRestart } from './crash-policy.ts'

test('starts at once when nothing has failed lately', () => {
  expect(decideRestart([], 1000)).toEqual({ kind: 'restart', afterMs: 0 })
  expect(decideRestart([0, 1, 2], 60_002)).toEqual({ kind: 'restart', afterMs: 0 })
})

test('restarts at once after one failure and waits after two', () => {
  expect(decideRestart([1000], 1000)).toEqual({ kind: 'restart', afterMs: 0 })
  expect(decideRestart([1000, 2000], 2000)).toEqual({ kind: 'restart', afterMs: 500 })
  expect(decideRestart([1000, 2000], 2400)).toEqual({ kind: 'restart', afterMs: 100 })
  expect(decideRestart([1000, 2000], 9000)).toEqual({ kind: 'restart', afterMs: 0 })
})

test('gives up after three failures in a minute, until the first of them is a minute old', () => {
  expect(decideRestart([1000, 2000, 3000], 3000)).toEqual({ kind: 'give-up', retryAfterMs: 58_000 })
  expect(decideRestart([1000, 2000, 3000], 60_999)).toEqual({ kind: 'give-up', retryAfterMs: 1 })
  expect(decideRestart([1000, 2000, 3000], 61_000).kind).toBe('restart')
})
