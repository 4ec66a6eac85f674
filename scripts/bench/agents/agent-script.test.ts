import { expect, test } from 'bun:test'
import { agentScript, sharedBeginning } from './agent-script.ts'
import { mixedJobs } from './mixed-load.ts'

const options = { turns: 30, scale: 1, seed: 1 }
const wordsOf = (text: string) => text.split(' ').length

test('the same seed gives the same work, another agent other work', () => {
  expect(agentScript(0, options)).toEqual(agentScript(0, options))
  expect(agentScript(1, options).task).not.toBe(agentScript(0, options).task)
  expect(sharedBeginning(options)).toEqual(sharedBeginning(options))
})

test('conversations grow to 16,000 to 30,000 tokens, and their parts by the scale', () => {
  const { system, tools } = sharedBeginning(options)
  const shared = wordsOf(system) + wordsOf(JSON.stringify(tools))
  const lengths = Array.from({ length: 20 }, (_, agent) => {
    const { task, turns } = agentScript(agent, options)
    return turns.reduce(
      (sum, turn) => sum + turn.answerTokens + wordsOf(turn.arguments) + wordsOf(turn.result),
      shared + wordsOf(task),
    )
  })
  expect(Math.min(...lengths)).toBeGreaterThan(14_000)
  expect(Math.max(...lengths)).toBeLessThan(32_000)
  const tenth = agentScript(3, { ...options, scale: 0.1 })
  expect(tenth.turns[0]?.answerTokens).toBe(12)
  expect(tenth.turns[0]?.pauseMs).toBeCloseTo((agentScript(3, options).turns[0]?.pauseMs ?? 0) / 10)
})

test('one request of ten is a long document', () => {
  const jobs = mixedJobs(60, { scale: 0.1, seed: 1 })
  expect(jobs.filter(({ isLong }) => isLong).map(({ promptTokens }) => promptTokens)).toEqual(Array(6).fill(2000))
})
