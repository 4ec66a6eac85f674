import { expect, test } from 'bun:test'
import { type Bar, mergedSegments, segmentsOf } from './segments.ts'

const part = (model: string, weights_bytes: number, cache_bytes = 0) => ({
  ...{ model, weights_bytes, cache_bytes, other_bytes: 0, is_measured: false },
})
const bar: Bar = {
  ...{ id: 'gpu0', total_bytes: 100, free_bytes: 60, reserved_bytes: 10, other_bytes: 12 },
  models: [part('org/one', 20, 8)],
}
const told = (segments: ReturnType<typeof segmentsOf>) => segments.map(({ kind, bytes }) => [kind, bytes])

test('the parts of a memory are those of models, the server, what is reserved, others, and what is left', () => {
  expect(told(segmentsOf({ ...bar, server_bytes: 1 }))).toEqual([
    ['model', 28],
    ['server', 1],
    ['reserved', 10],
    ['other', 12],
    ['free', 50],
  ])
  expect(segmentsOf(bar)[0]).toMatchObject({ model: 'org/one', weightsBytes: 20, cacheBytes: 8, isMeasured: false })
})

test('segments below 2 % of the whole are one, unless there is only one of them', () => {
  const small = { ...bar, models: [part('org/one', 27), part('org/two', 1)] }
  expect(mergedSegments(segmentsOf(small))).toEqual(segmentsOf(small))
  const segments = mergedSegments(
    segmentsOf({ ...small, models: [...small.models, part('org/three', 1)], other_bytes: 11 }),
  )
  expect(told(segments)).toEqual([
    ['model', 27],
    ['reserved', 10],
    ['other', 11],
    ['several', 2],
    ['free', 50],
  ])
  expect(segments[3]?.merged.map(({ model }) => model)).toEqual(['org/two', 'org/three'])
})
