import { expect, test } from 'bun:test'
import { toFailure } from '../../api/failure.ts'
import { payer } from '../../api/payer.ts'
import { canDiffer } from './chat-request.ts'
import { Step } from './step.ts'

const request = { model: 'm', messages: [] }

function stepOf(status: number, code: string): Step {
  const step = new Step(request)
  step.finish('failed', toFailure(status, new Headers(), { error: { code } }))
  step.balanceUsd.value = '0'
  return step
}

test('a refused request is not repeated unless it, or the balance that it lacked, has changed', () => {
  const [refused, unpaid] = [stepOf(400, 'invalid_value'), stepOf(402, 'insufficient_balance')]
  expect(canDiffer(refused, () => request, '5')).toBe(false)
  expect(canDiffer(refused, () => ({ ...request, seed: 1 }), '0')).toBe(true)
  expect(canDiffer(unpaid, () => request, '0')).toBe(false)
  expect(canDiffer(unpaid, () => request, '5')).toBe(true)
})

test('a refused request may be repeated once another account pays', () => {
  payer.value = 'acc_team'
  const refused = stepOf(403, 'not_a_member')
  expect(canDiffer(refused, () => request, '0')).toBe(false)
  payer.value = undefined
  expect(canDiffer(refused, () => request, '0')).toBe(true)
})

test('an answer, and a failure that may pass, can be requested again', () => {
  expect(canDiffer(new Step(request), () => request, '0')).toBe(true)
  expect(canDiffer(stepOf(503, 'overloaded'), () => request, '0')).toBe(true)
})
