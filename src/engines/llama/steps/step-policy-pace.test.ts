import { expect, test } from 'bun:test'
import { StepCosts } from './step-costs.ts'
import { prefillTokens } from './step-policy.ts'

/** Returns the costs of a machine that computes a prompt token in `promptMs`. */
function machine(promptMs: number): StepCosts {
  const costs = new StepCosts()
  costs.observe(0, 512 * promptMs, 512)
  return costs
}

const prompt = (accountId: string, tokens = 5000) => ({ accountId, tokens })
const many = (accountId: string, count: number) => new Array<string>(count).fill(accountId)
const load = (answers: readonly string[], ...prompts: { accountId: string; tokens: number }[]) => ({
  room: 512 - answers.length,
  answers,
  prompts,
  tileRows: 1,
})
const inTiles = (...of: Parameters<typeof load>) => ({ ...load(...of), tileRows: 64 })

/** Returns costs of prompts by number of rows, each measured twice. */
function measured(...steps: readonly (readonly [rows: number, ms: number])[]): StepCosts {
  const costs = new StepCosts()
  for (const [rows, ms] of [...steps, ...steps]) costs.observe(0, ms, rows)
  return costs
}

test('takes all that there is room for while nobody reads', () => {
  expect(prefillTokens(machine(100), load([], prompt('a')))).toBe(512)
})

test('takes a small piece beside answers while nothing is known', () => {
  expect(prefillTokens(new StepCosts(), load(many('a', 4), prompt('b')))).toBe(64)
  expect(prefillTokens(new StepCosts(), load([], prompt('b')))).toBe(512)
})

test('beside many answers a prompt takes what a slow machine does in a moment', () => {
  expect(prefillTokens(machine(2), load(many('a', 8), prompt('b')))).toBe(100)
})

test('is not slowed down on a fast machine, and takes no piece that is mostly overhead on a slow one', () => {
  expect(prefillTokens(machine(0.02), load(many('a', 8), prompt('b')))).toBe(504)
  expect(prefillTokens(machine(100), load(many('a', 8), prompt('b')))).toBe(32)
})

test('takes more the more prompts wait for each answer, up to a bound', () => {
  const own = (count: number) => many('a', count).map((account) => prompt(account))
  expect(prefillTokens(machine(2), load(many('a', 8), ...own(2)))).toBe(200)
  expect(prefillTokens(machine(5), load(many('a', 8), ...own(3)))).toBe(180)
  expect(prefillTokens(machine(5), load(many('a', 24), ...own(24)))).toBe(300)
  expect(prefillTokens(machine(20), load(many('a', 6), ...own(15)))).toBe(171)
  expect(prefillTokens(machine(20), load(['a'], ...own(12)))).toBe(250)
})

test('of an account’s own answers it takes longer pieces, which cost less', () => {
  expect(prefillTokens(machine(10), load(many('a', 8), prompt('a')))).toBe(150)
  expect(prefillTokens(machine(10), load(many('a', 8), prompt('b')))).toBe(32)
  expect(prefillTokens(machine(5), load(many('a', 8), prompt('a')))).toBe(160)
  expect(prefillTokens(machine(60), load(many('a', 8), prompt('a')))).toBe(32)
})

test('finishes what takes little more, however many prompts that are', () => {
  expect(prefillTokens(machine(2), load(many('a', 8), prompt('b', 150)))).toBe(150)
  expect(prefillTokens(machine(2), load(many('a', 8), prompt('b', 151)))).toBe(100)
})

test('takes 64 tokens instead of fewer where attention computes them together, and that takes hardly longer', () => {
  const others = (costs: StepCosts, tokens = 5000) => prefillTokens(costs, inTiles(many('a', 8), prompt('b', tokens)))
  expect(others(measured([32, 1000], [64, 1240]))).toBe(64)
  expect(others(measured([32, 1000], [64, 1260]))).toBe(32)
  expect(others(measured([32, 1000], [64, 1240]), 60)).toBe(32)
  expect(prefillTokens(measured([32, 1000], [64, 1240]), load(many('a', 8), prompt('b')))).toBe(32)
})

test('knows what 64 tokens take by larger pieces, and tries them beside answers of the same account alone', () => {
  const answers = inTiles(many('a', 8), prompt('b'))
  expect(prefillTokens(measured([32, 1000], [512, 512 * 19]), answers)).toBe(64)
  expect(prefillTokens(measured([32, 1000], [512, 512 * 20]), answers)).toBe(32)
  const once = measured([32, 1600])
  once.observe(0, 64, 64)
  expect(prefillTokens(once, answers)).toBe(32)
  expect(prefillTokens(once, inTiles(many('a', 8), prompt('a')))).toBe(64)
})

test('leaves no rest of an account’s own prompts that would be computed row by row', () => {
  const costs = measured([32, 2000], [64, 1600], [128, 3200])
  const tokens = (...prompts: Parameters<typeof prompt>[]) =>
    prefillTokens(costs, inTiles(many('a', 8), ...prompts.map((of) => prompt(...of))))
  expect(tokens(['a', 127])).toBe(127)
  expect(tokens(['a', 128])).toBe(64)
  expect(tokens(['b', 127])).toBe(64)
  expect(tokens(['a', 64], ['b', 63])).toBe(64)
})

test('an account’s many prompts slow down no other account’s answers more than one would', () => {
  const flood = many('b', 20).map((account) => prompt(account))
  expect(prefillTokens(machine(2), load(many('a', 8), ...flood))).toBe(100)
  expect(prefillTokens(machine(2), load([...many('a', 8), 'b'], ...flood))).toBe(100)
  expect(prefillTokens(machine(2), load(many('b', 9), ...flood))).toBe(503)
})
