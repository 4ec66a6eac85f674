import { expect, test } from 'bun:test'
import type { Answer } from '../../answer/answer.ts'
import type { NativeSample } from '../../native.ts'
import type { Slot } from '../slot.ts'
import type { StepPlan } from '../step-plan.ts'
import { HeadDrafts } from './head-drafts.ts'

const mostTokens = 3

/** Makes the parts of an answer that are read. */
function answerOf(...units: number[]): Answer {
  return { units } as unknown as Answer
}

function planFor(answers: readonly Answer[], more: Partial<StepPlan> = {}): StepPlan {
  const readers = answers.map((answer) => ({ answer }) as unknown as Slot)
  const chunks = readers.map((slot) => ({ slot, units: [1], drafts: 0 }))
  const outputs = answers.map((_, entry) => ({ entry, sampler: {} as never }))
  const batch = { tokens: new Int32Array(), positions: new Int32Array(), sequences: new Int32Array(), outputs }
  const rows = { answerRows: answers.length, promptRows: 0, scoredRows: 0 }
  return { chunks, readers, scored: [], ...rows, batch, ...more }
}

/** Adds a step's units to the answer, and then tokens that the head proposes. */
function bring(head: HeadDrafts, answer: Answer, units: readonly number[], proposals: readonly number[]): void {
  answer.units.push(...units)
  const samples = [units.map((token) => ({ token }) as NativeSample)]
  head.take(planFor([answer]), { kind: 'ok', samples, proposals: [proposals] }, 1)
}

test('asks the head behind each answer of a step, unless there are many', () => {
  const head = new HeadDrafts(mostTokens)
  const answers = Array.from({ length: 5 }, () => answerOf(1))
  const batch = head.batchOf(planFor(answers.slice(0, 4)), 4)
  expect(batch.isFollowed).toBe(true)
  expect(batch.outputs.map(({ propose }) => propose)).toEqual([3, 3, 3, 3])
  expect(head.batchOf(planFor(answers), 5).isFollowed).toBeUndefined()
  // A prompt alone in a step.
  expect(head.batchOf(planFor(answers.slice(0, 1), { promptRows: 1 }), 5).isFollowed).toBeUndefined()
})

test('leaves pictures alone', () => {
  const plan = planFor([answerOf(1)])
  const pictures = { ...plan, batch: { ...plan.batch, embeddings: new Float32Array(8) } }
  expect(new HeadDrafts(mostTokens).batchOf(pictures, 1)).toBe(pictures.batch)
})

test('proposes what the head said behind the last unit of the answer, and nothing once the answer has gone on', () => {
  const head = new HeadDrafts(mostTokens)
  const answer = answerOf(1, 2)
  expect(head.propose(answer, 8).tokens).toEqual([])
  bring(head, answer, [3], [4, 5, 6])
  expect(head.propose(answer, 8).tokens).toEqual([4, 5, 6])
  expect(head.propose(answer, 2).tokens).toEqual([4, 5])
  expect(head.propose(answerOf(1, 2, 3), 8).tokens).toEqual([])
  answer.units.push(4)
  expect(head.propose(answer, 8).tokens).toEqual([])
})

test('learns from what came how likely each of its tokens is right, whether it was used or not', () => {
  const head = new HeadDrafts(mostTokens)
  const answer = answerOf(0)
  bring(head, answer, [1], [2, 3, 4])
  const [before = 0] = head.propose(answer, 8).chances
  // The first proposed token is always right, the second one never.
  for (let i = 2; i < 200; i++) bring(head, answer, [i, -i], [i + 1, i, i])
  const [first = 0, second = 0, third = 1] = head.propose(answer, 8).chances
  expect(first).toBeGreaterThan(0.95)
  expect(first).toBeGreaterThan(before)
  expect(second).toBeLessThan(0.05)
  expect(third).toBeLessThanOrEqual(second)
})

test('a step with prompts tells nothing about what the head gains', () => {
  const head = new HeadDrafts(mostTokens)
  const answer = answerOf(1)
  const plan = planFor([answer], { promptRows: 100 })
  for (let step = 0; step < 1000; step++) head.take(plan, { kind: 'ok', samples: [[]] }, 1000)
  expect(head.batchOf(plan, 1).outputs.map(({ propose }) => propose)).toEqual([mostTokens])
})
