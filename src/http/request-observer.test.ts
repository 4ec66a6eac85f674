import { expect, test } from 'bun:test'
import { waitedMs } from '../core/request-record.ts'
import { nothingConsumed } from '../core/usage.ts'
import type { Settlement } from '../inference/bill.ts'
import { RequestObserver } from './request-observer.ts'

function lineOf(settlement: Partial<Settlement>) {
  const observer = new RequestObserver({ requestId: 'req_1', method: 'POST', path: '/v1/chat/completions' }, 0, () => 5)
  const whole = {
    used: nothingConsumed,
    costNanoUsd: 7,
    finish: 'stop',
    balanceNanoUsd: 1,
    isEstimated: false,
  } as const
  observer.watch({ settlement: { ...whole, ...settlement }, times: () => ({}) })
  observer.status = 200
  return observer.record({ hasEnded: true })
}

test('usage that was estimated is marked on the line of its request, and no other', () => {
  expect(lineOf({ isEstimated: true })).toMatchObject({ isEstimated: true, costNanoUsd: 7, finish: 'stop' })
  expect(lineOf({}).isEstimated).toBe(false)
})

test('what an engine said beyond its grant is the cause on a line that is else one of a success', () => {
  const excess = new Error('the engine says that it used more than it was granted')
  expect(lineOf({ excess })).toMatchObject({ status: 200, finish: 'stop', cause: excess })
  expect(lineOf({}).cause).toBeUndefined()
})

test('a request waits until the engine accepts it, then runs, and has a status once it has ended', () => {
  let nowMs = 100
  const observer = new RequestObserver({ requestId: 'req_1', method: 'POST', path: '/v1/embeddings' }, 100, () => nowMs)
  observer.status = 200
  nowMs = 130
  const waiting = observer.record()
  expect(waiting).toMatchObject({ state: 'waiting', arrivedAtMs: 100, durationMs: 30, status: undefined })
  expect(waitedMs(waiting)).toBe(30)
  observer.watch({ settlement: undefined, times: () => ({ queuedMs: 30, runningMs: 5 }) })
  nowMs = 135
  const running = observer.record()
  expect(running).toMatchObject({ state: 'running', durationMs: 35, status: undefined })
  expect(waitedMs(running)).toBe(30)
  expect(observer.record({ hasEnded: true })).toMatchObject({ state: 'ended', status: 200 })
})

test('a request that was settled has used what was charged, not what had passed before', () => {
  const observer = new RequestObserver({ requestId: 'req_1', method: 'POST', path: '/v1/embeddings' }, 0, () => 5)
  const settlement: Settlement = {
    used: { ...nothingConsumed, promptTokens: 9, completionTokens: 4 },
    costNanoUsd: 7,
    finish: 'client_disconnect',
    balanceNanoUsd: 1,
    isEstimated: false,
  }
  const bill: { settlement: Settlement | undefined; times: () => object } = { settlement: undefined, times: () => ({}) }
  observer.watch(bill)
  observer.onEvent({ type: 'start', promptTokens: 9, cachedTokens: 2 })
  expect(observer.record().used).toEqual({ ...nothingConsumed, promptTokens: 9, cachedTokens: 2 })
  bill.settlement = settlement
  expect(observer.record({ hasEnded: true }).used).toEqual(settlement.used)
})
