import { expect, test } from 'bun:test'
import { type CutRules, chooseCut } from './choose-cut.ts'
import { linkCentroids } from './link-centroids.ts'

/** Three groups at 0, 10 and 14, and one point alone at 30. */
const values = Float32Array.of(0, 0.1, 0.2, 10, 10.1, 10.2, 14, 14.1, 14.2, 30)
const weights = new Float64Array(values.length).fill(1)
const merges = linkCentroids({ count: values.length, dimensions: 1, values, weights })

function cut(rules: Partial<CutRules>): { readonly clusters: number; readonly minimumWeight: number } {
  const usual = { threshold: 2, minimumWeight: 2, minimumSpeakers: 1, maximumSpeakers: 100 }
  const { mergeCount, minimumWeight } = chooseCut(merges, weights, { ...usual, ...rules })
  return { clusters: values.length - mergeCount, minimumWeight }
}

test('clusters that are nearer than the threshold merge', () => {
  expect(cut({})).toEqual({ clusters: 4, minimumWeight: 2 })
  expect(cut({ threshold: 3.9 }).clusters).toBe(4) // 10 and 14 are 4 apart
  expect(cut({ threshold: 5 })).toEqual({ clusters: 3, minimumWeight: 2 })
  expect(cut({ threshold: 0.01 }).clusters).toBe(10)
})

test('where speakers are too many, the nearest of them merge', () => {
  expect(cut({ maximumSpeakers: 3 })).toEqual({ clusters: 4, minimumWeight: 2 }) // the point alone is no speaker
  expect(cut({ maximumSpeakers: 2 })).toEqual({ clusters: 3, minimumWeight: 2 })
  expect(cut({ maximumSpeakers: 1 }).clusters).toBe(2)
})

test('where they are too few, the last to merge stay apart', () => {
  expect(cut({ threshold: 100, minimumSpeakers: 2 }).clusters).toBe(3) // 30 is no speaker, and 0 and 12 are two
  expect(cut({ threshold: 100, minimumSpeakers: 3 }).clusters).toBe(4)
})

test('where there are not enough clusters, small ones are speakers too', () => {
  expect(cut({ minimumSpeakers: 4 })).toEqual({ clusters: 4, minimumWeight: 1 })
  expect(cut({ minimumSpeakers: 10 })).toEqual({ clusters: 10, minimumWeight: 1 })
  expect(cut({ minimumSpeakers: 99 }).minimumWeight).toBe(1)
})

test('no cluster is a speaker that is smaller than it takes', () => {
  const weights = Float64Array.of(3, 3, 3, 3, 3, 3, 2, 1, 1, 1) // groups of 9, 9, 4 and 1
  const merges = linkCentroids({ count: values.length, dimensions: 1, values, weights })
  const rules = { threshold: 2, minimumWeight: 8, minimumSpeakers: 3, maximumSpeakers: 100 }
  expect(chooseCut(merges, weights, rules)).toEqual({ mergeCount: 6, minimumWeight: 4 })
})

test('an exact number is met from either side', () => {
  for (const count of [1, 2, 3]) {
    for (const threshold of [0.01, 2, 100]) {
      const { mergeCount, minimumWeight } = chooseCut(merges, weights, {
        threshold,
        minimumWeight: 2,
        minimumSpeakers: count,
        maximumSpeakers: count,
      })
      const sizes = sizesAfter(mergeCount).filter((size) => size >= minimumWeight)
      expect({ threshold, speakers: sizes.length }).toEqual({ threshold, speakers: count })
    }
  }
})

function sizesAfter(mergeCount: number): number[] {
  const sizes = new Map(values.entries().map(([index]) => [index, 1]))
  for (const { into, from } of merges.slice(0, mergeCount)) {
    sizes.set(into, (sizes.get(into) ?? 0) + (sizes.get(from) ?? 0))
    sizes.delete(from)
  }
  return [...sizes.values()]
}
