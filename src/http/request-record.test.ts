import { expect, test } from 'bun:test'
import { nothingConsumed } from '../core/usage.ts'
import type { Settlement } from '../inference/bill.ts'
import { RequestRecord } from './request-record.ts'

function lineOf(settlement: Partial<Settlement>) {
  const record = new RequestRecord({ requestId: 'req_1', method: 'POST', path: '/v1/chat/completions' }, 0, () => 5)
  const whole = {
    used: nothingConsumed,
    costNanoUsd: 7,
    finish: 'stop',
    balanceNanoUsd: 1,
    isEstimated: false,
  } as const
  record.watch({ settlement: { ...whole, ...settlement }, times: () => ({}) })
  record.status = 200
  return record.line()
}

test('usage that was estimated is marked on the line of its request, and no other', () => {
  expect(lineOf({ isEstimated: true })).toMatchObject({ isEstimated: true, costNanoUsd: 7, finish: 'stop' })
  expect(lineOf({}).isEstimated).toBeUndefined()
})

test('what an engine said beyond its grant is the cause on a line that is else one of a success', () => {
  const excess = new Error('the engine says that it used more than it was granted')
  expect(lineOf({ excess })).toMatchObject({ status: 200, finish: 'stop', cause: excess })
  expect(lineOf({}).cause).toBeUndefined()
})
