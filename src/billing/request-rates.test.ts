import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Limits } from './limits.ts'
import { type Excess, type RatePlace, RequestRates } from './request-rates.ts'

function rates() {
  const time = { ms: 0 }
  return { time, rates: new RequestRates(() => time.ms) }
}

function place(entered: RatePlace | Excess): RatePlace {
  if ('leave' in entered) return entered
  throw new Error(`refused by ${entered.limit}`)
}

const bound = (limits: Limits, subject = 'key_1') => [{ subject, limits }]

test('of 50 requests at once 10 a minute pass, and the next one passes after exactly a minute', () => {
  const { time, rates: all } = rates()
  const bounds = bound({ requestsPerMinute: 10 })
  const entered = Array.from({ length: 50 }, () => all.enter(bounds))
  expect(entered.filter((each) => 'leave' in each)).toHaveLength(10)
  expect(entered[10]).toMatchObject({ limit: 'requests', subject: 'key_1', waitMs: 60_000 })
  time.ms = 59_999
  expect(all.enter(bounds)).toMatchObject({ waitMs: 1 })
  time.ms = 60_000
  place(all.enter(bounds))
})

test('in no minute more requests pass than the limit, whatever the moments, and waiting as told always helps', () => {
  const gaps = fc.array(fc.nat({ max: 9_000 }), { minLength: 1, maxLength: 80 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), gaps, fc.boolean(), (limit, gaps, waits) => {
      const { time, rates: all } = rates()
      const passed: number[] = []
      for (const gap of gaps) {
        time.ms += gap
        const entered = all.enter(bound({ requestsPerMinute: limit }))
        if ('leave' in entered) passed.push(time.ms)
        else if (waits) {
          time.ms += entered.waitMs ?? 0
          place(all.enter(bound({ requestsPerMinute: limit })))
          passed.push(time.ms)
        }
      }
      for (const end of passed)
        expect(passed.filter((ms) => ms > end - 60_000 && ms <= end).length).toBeLessThanOrEqual(limit)
    }),
  )
})

test('places at a time are free again when requests have left, by account and by key', () => {
  const { rates: all } = rates()
  const bounds = [...bound({ parallel: 3 }, 'acc_1'), ...bound({ parallel: 2 })]
  const first = place(all.enter(bounds))
  place(all.enter(bounds))
  expect(all.enter(bounds)).toMatchObject({ limit: 'parallel', subject: 'key_1' })
  place(all.enter(bound({ parallel: 3 }, 'acc_1')))
  expect(all.enter(bounds)).toMatchObject({ limit: 'parallel', subject: 'acc_1' })
  first.leave(0, false)
  place(all.enter(bounds))
})

test('tokens of running requests count in full, so that one request alone goes beyond the limit, and the next waits for it', () => {
  const { time, rates: all } = rates()
  const bounds = bound({ tokensPerMinute: 1_000 })
  const [one, two, three] = [place(all.enter(bounds)), place(all.enter(bounds)), place(all.enter(bounds))]
  expect(one.holdTokens(600)).toBeUndefined()
  expect(two.holdTokens(5_000)).toBeUndefined()
  expect(three.holdTokens(1)).toMatchObject({ limit: 'tokens', waitMs: undefined })
  three.leave(0, true)
  one.leave(500, false)
  two.leave(2_500, false)
  expect(all.enter(bounds)).toHaveProperty('leave')
  expect(all.tokenExcess(bounds)).toMatchObject({ waitMs: 180_000 })
  time.ms = 180_000
  expect(all.tokenExcess(bounds)).toBeUndefined()
})

test('what a limit refuses takes no part of a minute', () => {
  const { rates: all } = rates()
  const bounds = bound({ requestsPerMinute: 1 })
  place(all.enter(bounds)).leave(0, true)
  place(all.enter(bounds)).leave(0, false)
  expect(all.state({ subject: 'key_1', limits: { requestsPerMinute: 1 } })).toEqual({
    running: 0,
    requests: { limit: 1, left: 0, resetMs: 60_000 },
    tokens: undefined,
  })
})
