import { expect, test } from 'bun:test'
import { PhaseTimer, sumOfTimes } from './load-phases.ts'

test('the time between two calls belongs to the phase that ends, and calls for one phase add up', () => {
  let nowMs = 100
  const timer = new PhaseTimer(() => nowMs)
  const end = (phase: Parameters<PhaseTimer['end']>[0], tookMs: number) => {
    nowMs += tookMs
    timer.end(phase)
  }
  end('libraries', 5)
  end('weights', 20)
  end('weights', 1)
  expect(timer.times).toEqual({ libraries: 5, weights: 21 })
  expect(sumOfTimes(timer.times)).toBe(26)
})
