import { expect, test } from 'bun:test'
import { segmentsOf } from './segments.ts'

test('the parts of a memory are those of models, the server, what is reserved, others, and what is left', () => {
  const model = { model: 'org/one', weights_bytes: 20, cache_bytes: 8, other_bytes: 0, is_measured: false }
  const bar = { id: 'gpu0', total_bytes: 100, free_bytes: 60, reserved_bytes: 10, other_bytes: 12, models: [model] }
  const parts = segmentsOf(bar).map(({ kind, bytes, isMeasured }) => [kind, bytes, isMeasured])
  expect(parts).toEqual([
    ['weights', 20, false],
    ['cache', 8, false],
    ['reserved', 10, true],
    ['other', 12, true],
    ['free', 50, true],
  ])
})
