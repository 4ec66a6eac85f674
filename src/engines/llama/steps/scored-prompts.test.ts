import { expect, test } from 'bun:test'
import { everything, newAnswer } from '../../../testing/held-loop.ts'
import { GrantedRequest } from './granted-request.ts'
import { scoringDebt, takingPart } from './scored-prompts.ts'
import { awaitedBeginning, Slot } from './slot.ts'
import { nextSlotMove } from './slot-sharing.ts'
import { StepCosts } from './step-costs.ts'
import { noHistory, StepPolicy } from './step-policy.ts'

interface Kind {
  readonly accountId: string
  readonly promptTokens?: number
  /** Number of alternatives. Absent means a usual prompt. */
  readonly promptScores?: number
  readonly isGenerating?: boolean
}

function slotOf(id: number, { accountId, promptTokens = 100, promptScores, isGenerating = false }: Kind): Slot {
  const prompt = { units: Array.from({ length: promptTokens }, (_, index) => index), runs: [] }
  const answer = newAnswer(0, prompt, undefined, [], promptScores)
  if (isGenerating) {
    answer.decoded = promptTokens
    answer.take({ token: 4, text: 'a' })
  }
  const loaded = { id, accountId, promptTokens, outputTokens: 200, isConstrained: false, answers: [answer] }
  return new Slot(new GrantedRequest(loaded, everything), answer, id, false)
}

const policy = new StepPolicy({
  ...{ batchTokens: 512, tileRows: 1, isNonCausal: false, drafts: undefined, hasDraftHead: false },
})

function planOf(slots: readonly Slot[], { scoringDebtMs = 0, maxOutputs = 32, turn = 0 } = {}) {
  const turns = { ...noHistory.turns, tokens: turn }
  const next = policy.plan({
    sorted: { tokens: [...slots], pictures: [], encoding: [] },
    ...{ isUnified: true, maxOutputs, costs: new StepCosts(), steps: 0 },
    history: { ...noHistory, turns, scoringDebtMs },
  })
  if (next?.kind !== 'tokens') throw new Error('no step of tokens')
  return next.plan
}

const scored = { accountId: 'scorer', promptScores: 1 }
const chat = { accountId: 'chat', isGenerating: true }

test('a step reads no more rows than the context has, whatever scores, answers and ends it holds', () => {
  const slots = [
    ...[0, 1, 2].map((id) => slotOf(id, scored)),
    slotOf(3, { ...scored, accountId: 'other' }),
    ...[4, 5, 6].map((id) => slotOf(id, chat)),
    slotOf(7, { accountId: 'reader', promptTokens: 20 }),
  ]
  for (const turn of [0, 1, 2, 3]) {
    const { batch, scoredRows, promptRows } = planOf(slots, { turn })
    const read = new Set(batch.outputs.map(({ entry }) => entry))
    for (const { entry, next } of batch.scores ?? []) for (let row = 0; row < next.length; row++) read.add(entry + row)
    expect(read.size).toBeLessThanOrEqual(32)
    expect(scoredRows).toBe(32 - 3 - 1)
    expect(promptRows).toBe(scoredRows + 20)
  }
})

test('accounts share the rows', () => {
  const { chunks } = planOf([slotOf(0, scored), slotOf(1, { ...scored, accountId: 'other' })])
  expect(chunks.map(({ units }) => units.length)).toEqual([16, 16])
})

test('an entry scores the token behind it, and the last of a prompt is sampled', () => {
  const slot = slotOf(0, { ...scored, promptTokens: 20 })
  slot.answer.decoded = 5
  slot.answer.scoredPlaces = 6
  const { batch, scored: places } = planOf([slot])
  expect(batch.scores).toEqual([{ entry: 0, next: Int32Array.from({ length: 14 }, (_, index) => index + 6), top: 1 }])
  expect(batch.outputs.map(({ entry }) => entry)).toEqual([14])
  expect(places.map(({ end }) => end)).toEqual([20])
})

test('a prompt that is computed again is scored only where it was not', () => {
  const slot = slotOf(0, { ...scored, promptTokens: 20 })
  slot.answer.scoredPlaces = 11
  expect(slot.answer.reusable.units.length).toBe(11)
  const { batch } = planOf([slot])
  expect(batch.scores).toMatchObject([{ entry: 10, top: 1 }])
  expect(batch.scores?.[0]?.next.length).toBe(9)
})

test('a prompt of one token has a place and no score', () => {
  const plan = planOf([slotOf(0, { ...scored, promptTokens: 1 })])
  expect(plan.batch.scores).toBeUndefined()
  expect(plan.scored).toMatchObject([{ end: 1, index: undefined }])
})

test('no cached state serves a prompt before it is scored', () => {
  expect(slotOf(0, scored).answer.reusable.units.length).toBe(0)
  expect(slotOf(0, { accountId: 'a' }).answer.reusable.units.length).toBe(100)
})

test('no answer waits for the beginning that a scored prompt reads', () => {
  const chat = slotOf(1, { accountId: 'scorer' })
  const usual = slotOf(0, { accountId: 'scorer' })
  expect(awaitedBeginning(chat, [usual, chat], true)).toMatchObject({ leader: usual })
  expect(awaitedBeginning(chat, [slotOf(0, scored), chat], true)).toBeUndefined()
})

test('a scored prompt gives its slot to another account each time', () => {
  const slots = [0, 1, 2].map((id) => slotOf(id, scored))
  for (const { request, answer } of slots) request.parked.add(answer)
  const state = { hasRoom: false, holders: slots, waiting: ['chat'] }
  // The last one, so that the others come to their end.
  expect(nextSlotMove(state)).toMatchObject({ kind: 'park', holder: { sequence: 2 } })
  const usual = [0, 1, 2].map((id) => slotOf(id, { accountId: 'scorer' }))
  for (const { request, answer } of usual) request.parked.add(answer)
  expect(nextSlotMove({ ...state, holders: usual })).toBeUndefined()
})

test('beside answers of another account scored prompts pause until their cost is paid', () => {
  const slots = [slotOf(0, scored), slotOf(1, chat)]
  expect(takingPart(slots, { scoringDebtMs: 0 })).toEqual(slots)
  expect(takingPart(slots, { scoringDebtMs: 1 })).toEqual(slots.slice(1))
  expect(planOf(slots, { scoringDebtMs: 1 }).scoredRows).toBe(0)
  // An account's own answers wait, and so does nobody where no answer goes on.
  const own = [slotOf(0, scored), slotOf(1, { ...chat, accountId: 'scorer' })]
  expect(takingPart(own, { scoringDebtMs: 1 })).toEqual(own)
  expect(takingPart([slotOf(0, scored)], { scoringDebtMs: 1 })).toHaveLength(1)
  expect(takingPart([...own, slotOf(2, chat)], { scoringDebtMs: 1 })).toHaveLength(2)
})

test('a chat keeps nine tenths of its time beside scores, whatever a step costs', () => {
  for (const [answerMs, scoredMs] of [
    [1, 20],
    [10, 40],
    [100, 5],
  ] as const) {
    let debtMs = 0
    const spent = { answers: 0, scores: 0 }
    for (let step = 0; step < 20_000; step++) {
      const isScoring = debtMs <= 0 && step % 2 === 1
      const tookMs = isScoring ? scoredMs : answerMs
      spent[isScoring ? 'scores' : 'answers'] += tookMs
      const rows = isScoring ? { scoredRows: 32, answerRows: 0 } : { scoredRows: 0, answerRows: 1 }
      debtMs = scoringDebt(debtMs, rows, { tookMs, plainMs: 0 })
    }
    expect(spent.scores).toBeGreaterThan(0)
    expect(spent.answers / (spent.answers + spent.scores)).toBeGreaterThan(0.9)
  }
})

test('where answers and scores share a step, only its extra time is paid', () => {
  const rows = { scoredRows: 24, answerRows: 8 }
  expect(scoringDebt(0, rows, { tookMs: 12, plainMs: 10 })).toBe(2)
  expect(scoringDebt(0, rows, { tookMs: 9, plainMs: 10 })).toBe(0)
})
