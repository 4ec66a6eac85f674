import { expect, test } from 'bun:test'
import { seriesOf } from './series.ts'

test('a model has one of eight colours, and keeps it', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `org/model-${index}`)
  expect([...new Set(ids.map(seriesOf))].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(['inferd/starter-chat', 'Qwen/Qwen3-8B'].map(seriesOf)).toEqual([1, 2])
})
