import { expect, test } from 'bun:test'
import { prefillTokens } from './prefill-pace.ts'
import { StepCosts } from './step-costs.ts'

/** A machine that computes a prompt token in so many milliseconds. */
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

/** What prompts of so many rows take, each measured twice. */
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

test('finishes prompts beside their account’s own answers where that takes as long again as a useful piece', () => {
  expect(prefillTokens(machine(25), load(many('a', 8), prompt('a', 120)))).toBe(120)
  expect(prefillTokens(machine(25), load(many('a', 8), prompt('a', 121)))).toBe(60)
  expect(prefillTokens(machine(25), load(many('a', 8), prompt('b', 120)))).toBe(32)
})

test('takes whole tiles where attention computes 64 rows together', () => {
  const costs = measured([32, 1312], [64, 1250], [128, 2475])
  expect(prefillTokens(costs, inTiles(many('a', 8), prompt('a')))).toBe(64)
  expect(prefillTokens(costs, load(many('a', 8), prompt('a')))).toBe(76)
  expect(prefillTokens(costs, inTiles(many('a', 8), prompt('a', 150)))).toBe(150)
})

test('takes a whole tile instead of fewer rows that take almost as long', () => {
  const [dear, cheap] = [measured([32, 1312], [64, 1250]), measured([32, 640], [64, 1280])]
  expect(prefillTokens(dear, inTiles(many('a', 8), prompt('b')))).toBe(64)
  expect(prefillTokens(cheap, inTiles(many('a', 8), prompt('b')))).toBe(32)
  const untried = measured([32, 3200])
  expect(prefillTokens(untried, inTiles(many('a', 8), prompt('a')))).toBe(64)
  expect(prefillTokens(untried, inTiles(many('a', 8), prompt('b')))).toBe(32)
})

test('an account’s many prompts slow down no other account’s answers more than one would', () => {
  const flood = many('b', 20).map((account) => prompt(account))
  expect(prefillTokens(machine(2), load(many('a', 8), ...flood))).toBe(100)
  expect(prefillTokens(machine(2), load([...many('a', 8), 'b'], ...flood))).toBe(100)
  expect(prefillTokens(machine(2), load(many('b', 9), ...flood))).toBe(503)
})
