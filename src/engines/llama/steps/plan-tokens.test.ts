import { expect, test } from 'bun:test'
import { everything, newAnswer } from '../../../testing/held-loop.ts'
import { GrantedRequest } from './granted-request.ts'
import { planTokens } from './plan-tokens.ts'
import { Slot } from './slot.ts'
import { StepCosts } from './step-costs.ts'

/** An answer with a token that is to be decoded. */
function generating(id: number): Slot {
  const answer = newAnswer(0, { units: [1, 2, 3], runs: [] })
  answer.decoded = 3
  answer.take({ token: 4, text: 'a' })
  const loaded = { id, accountId: 'a', promptTokens: 3, outputTokens: 200, isConstrained: false, answers: [answer] }
  return new Slot(new GrantedRequest(loaded, everything), answer, id, false)
}

test('a step that shows what fewer answers cost has no proposals, so that it does show it', () => {
  const costs = new StepCosts()
  for (let step = 0; step < 3; step++) costs.observe(4, 124)
  const drafts = { choose: (slots: readonly Slot[]) => slots.map(() => [7, 8]) }
  const limits = {
    batchTokens: 512,
    costs,
    answers: [],
    hasOthers: false,
    isUnified: true,
    tileRows: 1,
    turn: 0,
    drafts,
  }
  const slots = [0, 1, 2, 3].map(generating)
  const trial = planTokens(slots, limits)
  expect([trial.chunks.length, trial.answerRows]).toEqual([1, 1])
  costs.observe(trial.answerRows, 100)
  const after = planTokens(slots, limits)
  expect([after.chunks.length, after.answerRows]).toEqual([4, 12])
})
