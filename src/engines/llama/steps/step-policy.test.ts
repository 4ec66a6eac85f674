import { expect, test } from 'bun:test'
import { everything, newAnswer } from '../../../testing/held-loop.ts'
import { GrantedRequest } from './granted-request.ts'
import { Slot } from './slot.ts'
import { StepCosts } from './step-costs.ts'
import { noHistory, type StepLimits, StepPolicy, withoutProposals } from './step-policy.ts'

/** Makes an answer with one undecoded token. */
function generating(id: number): Slot {
  const answer = newAnswer(0, { units: [1, 2, 3], runs: [] })
  answer.decoded = 3
  answer.take({ token: 4, text: 'a' })
  const loaded = { id, accountId: 'a', promptTokens: 3, outputTokens: 200, isConstrained: false, answers: [answer] }
  return new Slot(new GrantedRequest(loaded, everything), answer, id, false)
}

/** Makes a policy that may propose two certain tokens behind each answer. */
function policyWith(limits: Partial<StepLimits> = {}): StepPolicy {
  const drafts = { mostRows: 32, propose: () => ({ tokens: [7, 8], chances: [1, 1] }) }
  return new StepPolicy({
    ...{ batchTokens: 512, tileRows: 1, isNonCausal: false, drafts, hasDraftHead: false },
    ...limits,
  })
}

function stateOf(slots: readonly Slot[], costs = new StepCosts()) {
  const sorted = { tokens: [...slots], pictures: [], encoding: [] }
  return { sorted, isUnified: true, maxOutputs: 32, costs, steps: 0, history: noHistory }
}

/** Returns the rows of each answer in the next step. */
function rowsOf(...[state, policy = policyWith()]: readonly [ReturnType<typeof stateOf>, StepPolicy?]) {
  const next = policy.plan(state)
  return next?.kind === 'tokens' ? next.plan.chunks.map(({ units }) => units.length) : next?.kind
}

test('a step that shows what fewer answers cost has no proposals, so that it does show it', () => {
  const costs = new StepCosts()
  for (let step = 0; step < 3; step++) costs.observe(4, 124)
  costs.observe(12, 125)
  const state = stateOf([0, 1, 2, 3].map(generating), costs)
  expect(rowsOf(state)).toEqual([1])
  costs.observe(1, 100)
  expect(rowsOf(state)).toEqual([3, 3, 3, 3])
})

test('the same state gives the same step', () => {
  const costs = new StepCosts()
  for (let step = 0; step < 3; step++) for (const rows of [1, 2, 3]) costs.observe(rows, 10)
  const state = stateOf([generating(0)], costs)
  const policy = policyWith()
  const first = policy.plan(state)
  expect(policy.plan(state)).toEqual(first)
  expect(state.history).toBe(noHistory)
})

test('a cache that had no room for proposals gets none for some steps, and the addon goes on by itself meanwhile', () => {
  const costs = new StepCosts()
  for (let step = 0; step < 3; step++) for (const rows of [1, 2, 3]) costs.observe(rows, 10)
  const slots = [generating(0)]
  const policy = policyWith()
  const state = { ...stateOf(slots, costs), steps: 100, history: withoutProposals(noHistory, 100) }
  const next = policy.plan(state)
  if (next?.kind !== 'tokens') throw new Error('no step of tokens')
  expect(next.plan.answerRows).toBe(1)
  const goesOn = (steps: number) => policy.goesOn(next.plan, slots, { ...state, steps })
  expect([goesOn(101), goesOn(131), goesOn(132)]).toEqual([true, true, false])
  expect(rowsOf({ ...state, steps: 132 })).toEqual([3])
})

test('proposals that cost too much are reconsidered in one step of 1,024', () => {
  const costs = new StepCosts()
  for (let step = 0; step < 3; step++)
    for (const [rows, ms] of [
      [1, 10],
      [2, 90],
      [3, 130],
    ] as const)
      costs.observe(rows, ms)
  const slots = [generating(0)]
  const policy = policyWith()
  const state = stateOf(slots, costs)
  const early = policy.plan({ ...state, steps: 1023 })
  if (early?.kind !== 'tokens') throw new Error('no step of tokens')
  expect(early.plan.answerRows).toBe(1)
  const later = { ...state, steps: 1024 }
  expect(policy.goesOn(early.plan, slots, { ...state, steps: 1023 })).toBe(true)
  expect(policy.goesOn(early.plan, slots, later)).toBe(false)
  const retrial = policy.plan(later)
  if (retrial?.kind !== 'tokens') throw new Error('no step of tokens')
  expect(retrial.plan.answerRows).toBeGreaterThan(1)
  expect(rowsOf({ ...state, steps: 1025, history: retrial.history })).toEqual([1])
})

test('answers with a cache for each have no proposals beside each other, and go on by themselves', () => {
  const costs = new StepCosts()
  for (let step = 0; step < 3; step++) for (const rows of [1, 2, 4, 6]) costs.observe(rows, 10)
  const slots = [generating(0), generating(1)]
  const policy = policyWith()
  const state = { ...stateOf(slots, costs), isUnified: false }
  const next = policy.plan(state)
  if (next?.kind !== 'tokens') throw new Error('no step of tokens')
  expect(next.plan.chunks.map(({ units }) => units.length)).toEqual([1, 1])
  expect(policy.goesOn(next.plan, slots, state)).toBe(true)
  expect(rowsOf({ ...state, isUnified: true })).toEqual([3, 3])
})

test('nothing begins behind a step by itself where a draft head takes part', () => {
  const slots = [generating(0)]
  const state = stateOf(slots)
  for (const hasDraftHead of [false, true]) {
    const policy = policyWith({ drafts: undefined, hasDraftHead })
    const next = policy.plan(state)
    if (next?.kind !== 'tokens') throw new Error('no step of tokens')
    expect(policy.goesOn(next.plan, slots, state)).toBe(!hasDraftHead)
  }
})
