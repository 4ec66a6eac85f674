import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Attempt,
  answered,
  type Breaker,
  begun,
  breakerState,
  closedBreaker,
  ended,
  type Outcome,
  probeTimeMs,
} from './breaker.ts'

function after(breaker: Breaker, outcome: Outcome, nowMs: number): Breaker {
  const { breaker: during, attempt } = begun(breaker)
  return ended(during, attempt, outcome, nowMs)
}

function afterFailures(count: number, nowMs = 0): Breaker {
  let breaker = closedBreaker
  for (let failure = 0; failure < count; failure++) breaker = after(breaker, 'failed', nowMs)
  return breaker
}

test('three failures in a row open it for 5 seconds', () => {
  expect(breakerState(afterFailures(2), 0)).toBe('closed')
  const open = afterFailures(3)
  expect(breakerState(open, 4_999)).toBe('open')
  expect(breakerState(open, 5_000)).toBe('half-open')
})

test('a request that is served ends the row, and one that says nothing does not', () => {
  expect(breakerState(after(after(afterFailures(2), 'served', 0), 'failed', 0), 0)).toBe('closed')
  expect(breakerState(after(after(afterFailures(2), 'neutral', 0), 'failed', 0), 0)).toBe('open')
})

test('each failed probe doubles the wait, up to 60 seconds; a served one closes it', () => {
  let breaker = afterFailures(3)
  const waits: number[] = []
  for (let nowMs = 0; waits.length < 6; ) {
    const wait = (probeTimeMs(breaker) ?? Number.NaN) - nowMs
    waits.push(wait)
    nowMs += wait
    breaker = after(breaker, 'failed', nowMs)
  }
  expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
  const closed = after(breaker, 'served', 10 ** 6)
  expect(breakerState(closed, 10 ** 6)).toBe('closed')
  expect(closed.openings).toBe(0)
})

test('32 requests that fail together open it once', () => {
  let breaker = closedBreaker
  const attempts: Attempt[] = []
  for (let request = 0; request < 32; request++) {
    const next = begun(breaker)
    breaker = next.breaker
    attempts.push(next.attempt)
  }
  for (const attempt of attempts) breaker = ended(breaker, attempt, 'failed', 10)
  expect(probeTimeMs(breaker)).toBe(5_010)
  expect(breaker.lastFailureMs).toBe(10)
})

test('an old request that is served does not close it', () => {
  const old = begun(closedBreaker)
  const open = ['failed', 'failed', 'failed'].reduce((breaker) => after(breaker, 'failed', 0), old.breaker)
  expect(breakerState(ended(open, old.attempt, 'served', 1), 1)).toBe('open')
})

test('a probe whose client leaves makes room for another', () => {
  const { breaker, attempt } = begun(afterFailures(3))
  expect(breakerState(breaker, 5_000)).toBe('probing')
  expect(breakerState(ended(breaker, attempt, 'neutral', 5_000), 5_000)).toBe('half-open')
})

test('a probe before its time that fails does not lengthen the wait', () => {
  const failed = after(afterFailures(3), 'failed', 1_000)
  expect(probeTimeMs(failed)).toBe(5_000)
  expect(failed.lastFailureMs).toBe(1_000)
})

test('a probe that is answered lets others in, and the next failure opens it for longer', () => {
  const { breaker, attempt } = begun(afterFailures(3))
  const halfway = answered(breaker, attempt)
  expect(breakerState(halfway, 5_000)).toBe('closed')
  expect(probeTimeMs(ended(halfway, attempt, 'failed', 6_000))).toBe(16_000)
  expect(ended(halfway, attempt, 'served', 6_000)).toMatchObject({
    phase: { kind: 'closed', failures: 0 },
    openings: 0,
  })
})

test('whatever happens, there is one probe at most, and it never stays open', () => {
  const step = fc.record({
    kind: fc.constantFrom('begin', 'answer', 'end', 'pass'),
    which: fc.nat(20),
    outcome: fc.constantFrom<Outcome>('served', 'failed', 'failed', 'failed', 'neutral'),
    ms: fc.nat(20_000),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      let breaker = closedBreaker
      let nowMs = 0
      const live = new Set<{ readonly attempt: Attempt; isUndecided: boolean }>()
      for (const { kind, which, outcome, ms } of steps) {
        const chosen = [...live][which % Math.max(1, live.size)]
        if (kind === 'pass') nowMs += ms
        else if (kind === 'begin' && breakerState(breaker, nowMs) !== 'probing') {
          const { breaker: next, attempt } = begun(breaker)
          breaker = next
          live.add({ attempt, isUndecided: attempt.isProbe })
        } else if (chosen !== undefined && kind === 'answer') {
          breaker = answered(breaker, chosen.attempt)
          chosen.isUndecided = false
        } else if (chosen !== undefined && kind === 'end') {
          live.delete(chosen)
          breaker = ended(breaker, chosen.attempt, outcome, nowMs)
        }
        const probes = [...live].filter(({ isUndecided }) => isUndecided).length
        expect(probes).toBe(breakerState(breaker, nowMs) === 'probing' ? 1 : 0)
        expect(probeTimeMs(breaker) ?? nowMs).toBeLessThanOrEqual(nowMs + 60_000)
      }
    }),
  )
})
