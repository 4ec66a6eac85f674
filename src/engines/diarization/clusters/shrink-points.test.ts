import { expect, test } from 'bun:test'
import type { Points } from './link-centroids.ts'
import { shrinkPoints } from './shrink-points.ts'

/** Points far from each other, each heavier than the one before. */
function points(count: number): Points {
  const values = Float32Array.from({ length: count }, (_, index) => index)
  return { count, dimensions: 1, values, weights: Float64Array.from(values, (value) => value + 1) }
}

function sums({ values, weights }: Points): { readonly weight: number; readonly moment: number } {
  const weight = weights.reduce((sum, each) => sum + each, 0)
  return { weight, moment: weights.reduce((sum, each, index) => sum + each * (values[index] ?? 0), 0) }
}

test('too many points become a hundred a part, with the same weight and the same mean', async () => {
  const all = points(1600)
  const shrunk = await shrinkPoints(all, 0.1)
  expect(shrunk.count).toBe(400)
  expect(sums(shrunk).weight).toBe(sums(all).weight)
  expect(sums(shrunk).moment / sums(all).moment).toBeCloseTo(1, 5)
})

test('points that are few enough stay as they are', async () => {
  const all = points(1500)
  expect(await shrinkPoints(all, 0.1)).toBe(all)
})
