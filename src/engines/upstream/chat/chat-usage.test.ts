import { expect, test } from 'bun:test'
import { nothingConsumed } from '../../../core/usage.ts'
import { AnswerCounter, usageOfAnswers } from './chat-usage.ts'

const counted = (completionTokens: number, reasoningTokens = 0) => ({ completionTokens, reasoningTokens })
const usage = (promptTokens: number, completionTokens: number, cachedTokens = 0) => ({
  ...{ promptTokens, completionTokens, cachedTokens, reasoningTokens: 0 },
})

test('what the server counted last counts, and each piece since then', () => {
  const counter = new AnswerCounter(8192)
  expect(counter.read({ usage: undefined, counted: counted(2, 1) })).toEqual({
    ...counted(2, 1),
    prompt: undefined,
    isCounted: false,
  })
  const first = usage(10, 5)
  expect(counter.read({ usage: first, counted: counted(3) })).toMatchObject({ completionTokens: 5, isCounted: true })
  expect(counter.read({ usage: first, counted: counted(5) })).toMatchObject({ completionTokens: 7, isCounted: false })
  const last = usage(10, 7)
  expect(counter.read({ usage: last, counted: counted(5) })).toMatchObject({ completionTokens: 7, isCounted: true })
})

test('thinking counts as the server counted it last, and each piece of it since then', () => {
  const counter = new AnswerCounter(8192)
  const first = { ...usage(10, 5), reasoningTokens: 4 }
  counter.read({ usage: first, counted: counted(3, 2) })
  expect(counter.read({ usage: first, counted: counted(6, 4) })).toMatchObject({
    completionTokens: 8,
    reasoningTokens: 6,
  })
})

test('a count of more than the context is none', () => {
  const counter = new AnswerCounter(100)
  expect(counter.read({ usage: usage(90, 11), counted: counted(4) })).toMatchObject({
    completionTokens: 4,
    prompt: undefined,
    isCounted: false,
  })
})

test('what was counted stays when the server says nothing that can be true after it', () => {
  const counter = new AnswerCounter(100)
  counter.read({ usage: usage(10, 4), counted: counted(4) })
  expect(counter.read({ usage: undefined, counted: counted(6) })).toMatchObject({
    completionTokens: 6,
    isCounted: false,
  })
})

const answer = (promptTokens: number, completionTokens: number, cachedTokens = 0) => ({
  ...{ completionTokens, reasoningTokens: 1, prompt: { promptTokens, cachedTokens }, isCounted: true },
})

test('answers of one prompt share it: its tokens count once, and those that were cached for all', () => {
  expect(usageOfAnswers([answer(10, 3, 0), answer(10, 4, 8)], [{ usualTokens: 99 }])).toEqual({
    used: { ...nothingConsumed, promptTokens: 10, cachedTokens: 0, completionTokens: 7, reasoningTokens: 2 },
    isEstimated: false,
  })
})

test('each prompt of several counts', () => {
  const prompts = [{ usualTokens: 99 }, { usualTokens: 99 }]
  const { used } = usageOfAnswers([answer(10, 3), answer(10, 4), answer(5, 1), answer(5, 1)], prompts)
  expect([used.promptTokens, used.completionTokens]).toEqual([15, 9])
})

test('what no server counted is estimated, as soon as something came of it', () => {
  const uncounted = { completionTokens: 3, reasoningTokens: 0, prompt: undefined, isCounted: false }
  expect(usageOfAnswers([undefined, undefined], [{ usualTokens: 20 }])).toEqual({
    used: nothingConsumed,
    isEstimated: false,
  })
  const { used, isEstimated } = usageOfAnswers([undefined, uncounted], [{ usualTokens: 20 }])
  expect([used.promptTokens, used.completionTokens, isEstimated]).toEqual([20, 3, true])
  const mixed = usageOfAnswers([answer(10, 3), uncounted], [{ usualTokens: 20 }])
  expect([mixed.used.promptTokens, mixed.used.completionTokens, mixed.isEstimated]).toEqual([10, 6, true])
})
