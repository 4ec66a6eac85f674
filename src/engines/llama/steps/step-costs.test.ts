import { expect, test } from 'bun:test'
import { StepCosts } from './step-costs.ts'

function learned(...steps: readonly (readonly [rows: number, ms: number, promptRows?: number])[]): StepCosts {
  const costs = new StepCosts()
  for (const step of steps) costs.observe(...step)
  return costs
}

test('knows nothing at first', () => {
  expect(new StepCosts().estimateMs(4, 100)).toBe(0)
  expect(new StepCosts().promptRowsWithin(1, 512)).toBe(512)
})

test('estimates between what it has measured', () => {
  const costs = learned([4, 100], [8, 140])
  expect([4, 6, 8].map((rows) => costs.estimateMs(rows))).toEqual([100, 120, 140])
})

test('expects no gain from what it has not measured', () => {
  const costs = learned([4, 100], [8, 140])
  expect([1, 16].map((rows) => costs.estimateMs(rows))).toEqual([100, 280])
})

test('one outlier changes nothing, and a lasting change is learned within three steps', () => {
  const costs = learned([4, 100], [4, 100], [4, 100], [4, 9000])
  expect(costs.estimateMs(4)).toBe(100)
  costs.observe(4, 200)
  costs.observe(4, 200)
  expect(costs.estimateMs(4)).toBe(200)
})

test('the slow first step of a model is forgotten with the second one', () => {
  const costs = learned([0, 900, 24], [0, 260, 16])
  expect(costs.estimateMs(0, 20)).toBe(325)
})

test('tells what prompts cost apart from the answers beside them', () => {
  const costs = learned([8, 140], [8, 140 + 640, 64])
  expect(costs.estimateMs(0, 64)).toBe(640)
  expect(costs.estimateMs(8, 64)).toBe(780)
})

test('small pieces of prompts may cost more a token', () => {
  const costs = learned([0, 400, 32], [0, 640, 64], [0, 5120, 512])
  expect(costs.promptRowsWithin(640, 512)).toBe(64)
  expect(costs.promptRowsWithin(400, 512)).toBe(32)
  expect(costs.promptRowsWithin(1_000_000, 512)).toBe(512)
})

test('what larger pieces cost is told by what a single row costs, and at least half as much a token', () => {
  const steps = [
    [0, 200, 16],
    [0, 200, 16],
  ] as const
  expect(learned(...steps).estimateMs(0, 116)).toBe(1450)
  // Learned costs: 40 ms per step and 10 ms per row.
  expect(learned([1, 50], [1, 50], ...steps).estimateMs(0, 116)).toBeCloseTo(200 + 100 * 10)
  expect(learned([1, 190], [1, 190], ...steps).estimateMs(0, 116)).toBeCloseTo(200 + 100 * 6.25)
  // If a single row is cheap for other reasons, larger pieces do not become dearer.
  expect(learned([1, 5], [1, 5], ...steps).estimateMs(0, 116)).toBeCloseTo(1450)
  // A single measurement does not count, whatever its size.
  expect(learned([1, 50], [1, 50], ...steps, [0, 90_000, 512]).estimateMs(0, 116)).toBeCloseTo(200 + 100 * 10)
})

test('pieces that were slow when everything was are tried again', () => {
  const slow = learned([0, 6400, 64], [0, 6400, 64])
  for (let step = 0; step < 64; step++) slow.observe(0, 40, 40)
  expect(slow.promptRowsWithin(100, 512)).toBeLessThan(64)
  for (let step = 0; step < 2; step++) slow.observe(0, 40, 40)
  expect(slow.promptRowsWithin(100, 512)).toBe(100)
  const dear = learned([0, 128, 64], [0, 128, 64])
  for (let step = 0; step < 66; step++) dear.observe(0, 60, 20)
  expect(dear.estimateMs(0, 64)).toBe(128)
})

test('a step that was faster than its answers alone still costs something for its prompt', () => {
  const costs = learned([8, 140], [8, 100, 50])
  expect(costs.estimateMs(0, 50)).toBeGreaterThan(0)
})

test('a first step that took a minute is forgotten as soon as others are known', () => {
  const slow = learned([0, 60_000, 511])
  expect(slow.promptRowsWithin(200, 512)).toBe(1)
  for (let step = 0; step < 2; step++) slow.observe(0, 20, 40)
  expect(slow.promptRowsWithin(200, 512)).toBe(400)
})

test('answers that once took a minute do not make prompts seem cheap', () => {
  const costs = learned([1, 60_000], [1, 3000, 499], [1, 3000, 499], [1, 3000, 499])
  expect(costs.estimateMs(0, 499)).toBeGreaterThan(1400)
})
