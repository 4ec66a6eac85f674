import { expect, test } from 'bun:test'
import type { CacheLayout } from '../../../core/cache-layout.ts'
import { curvesKept, readStepCurves } from '../../../core/step-costs.ts'
import { CostCurves } from './cost-curves.ts'
import type { StepCosts } from './step-costs.ts'
import { chooseRows } from './step-policy.ts'

const one: CacheLayout = { isUnified: true, sequences: 4, tokensEach: 2048 }
const each: CacheLayout = { isUnified: false, sequences: 4, tokensEach: 512 }

/** Returns the costs of another engine that was given the kept ones, by way of JSON. */
function reloaded(curves: CostCurves): CostCurves {
  return new CostCurves(readStepCurves(JSON.stringify(curves.kept())))
}

/** Measures steps: one row takes 1 ms, four take 100 ms. */
function measure(costs: StepCosts): void {
  for (let step = 0; step < 3; step++) {
    costs.observe(1, 1)
    costs.observe(4, 100)
    costs.observe(0, 640, 64)
  }
}

test('the next load plans by the costs of the last one', () => {
  const curves = new CostCurves()
  measure(curves.of(one, 2))
  const costs = reloaded(curves).of(one, 2)
  expect(costs.estimateMs(4)).toBe(100)
  expect(costs.estimateMs(0, 64)).toBe(640)
  expect(costs.promptRowsWithin(200, 512)).toBe(20)
  expect(chooseRows(4, costs)).toEqual({ rows: 1, isTrial: false })
})

test.each([
  ['number of threads', one, 4],
  ['kind of cache', each, 2],
  ['length of requests', { ...one, tokensEach: 4096 }, 2],
  ['layout where there was one', undefined, 2],
] as const)('another %s is measured anew', (_, layout, threads) => {
  const curves = new CostCurves()
  measure(curves.of(one, 2))
  const costs = reloaded(curves).of(layout, threads)
  expect(costs.estimateMs(4, 64)).toBe(0)
  expect(chooseRows(4, costs)).toEqual({ rows: 4, isTrial: false })
})

test('costs that do not hold any more are corrected as if this load had measured them', () => {
  const curves = new CostCurves()
  for (let step = 0; step < 5; step++) measure(curves.of(one, 2))
  const costs = reloaded(curves).of(one, 2)
  for (let step = 0; step < 3; step++) costs.observe(1, 50)
  expect(costs.estimateMs(1)).toBe(50)
  // Sizes that are avoided for their costs are measured again only after some steps.
  expect(chooseRows(4, costs)).toEqual({ rows: 4, isTrial: false })
  for (let step = 0; step < 3; step++) costs.observe(4, 400)
  for (let step = 0; step < 130; step++) costs.observe(1, 90)
  expect(chooseRows(4, costs)).toEqual({ rows: 4, isTrial: true })
})

test('pieces of prompts that seem dear are not forgotten at once', () => {
  const curves = new CostCurves()
  measure(curves.of(one, 2))
  const costs = reloaded(curves).of(one, 2)
  costs.observe(0, 20, 20)
  expect(costs.promptMsByLarger(64)).toBe(640)
  for (let step = 0; step < 64; step++) costs.observe(0, 20, 20)
  expect(costs.promptMsByLarger(64)).toBeUndefined()
})

test('the curves used last are kept, and none without a measurement', () => {
  const curves = new CostCurves()
  for (let threads = 1; threads <= curvesKept + 2; threads++) measure(curves.of(one, threads))
  curves.of(one, 99)
  curves.of(one, 1)
  const threads = curves.kept().map((curve) => curve.threads)
  expect(threads).toEqual([...Array.from({ length: curvesKept - 1 }, (_, index) => index + 4), 1])
  expect(reloaded(curves).kept()).toEqual(curves.kept())
})
