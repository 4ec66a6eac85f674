import { expect, test } from 'bun:test'
import { agentFigures, mixedFigures } from './figures.ts'

function answer(firstMs: number, promptTokens = 0, cachedTokens = 0) {
  return { arrivalsMs: [firstMs, firstMs + 10], totalMs: 0, promptTokens, cachedTokens, completionTokens: 12, text: '' }
}

test('what had to be computed is the shared beginning once, and what each turn adds', () => {
  const run = [answer(1, 100), answer(2, 150, 112), answer(3, 200, 162)]
  const { computedTokens, neededTokens } = agentFigures([run, run], 60, 12)
  expect(computedTokens).toBe(2 * (100 + 38 + 38))
  expect(neededTokens).toBe(60 + 2 * (40 + 38 + 38))
})

test('times to the first token are told by thirds of the turns', () => {
  const run = [1, 3, 10, 30, 100, 300].map((ms) => answer(ms))
  expect(agentFigures([run], 0, 12).thirds.map(({ p50Ms }) => p50Ms)).toEqual([2, 20, 200])
})

test('an answer that ended early is counted', () => {
  expect(agentFigures([[answer(1)]], 0, 13).endedEarly).toBe(1)
})

test('short chats and long documents are told apart', () => {
  const answers = [
    { isLong: false, answer: answer(5) },
    { isLong: true, answer: answer(500) },
  ]
  const { shortFirstTokenP50Ms, longFirstTokenP50Ms, gapP99Ms } = mixedFigures(answers)
  expect([shortFirstTokenP50Ms, longFirstTokenP50Ms, gapP99Ms]).toEqual([5, 500, 10])
})
