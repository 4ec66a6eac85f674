import { expect, test } from 'bun:test'
import { seriesOf, textureOf } from './series.ts'

const ids = Array.from({ length: 1_000 }, (_, index) => `org/model-${index}`)

test('a model has one of eight colours and one of four textures, and keeps them', () => {
  expect([...new Set(ids.map(seriesOf))].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect([...new Set(ids.map(textureOf))].sort()).toEqual([0, 1, 2, 3])
  expect(['inferd/starter-chat', 'Qwen/Qwen3.8-27B'].map((id) => [seriesOf(id), textureOf(id)])).toEqual([
    [7, 2],
    [4, 1],
  ])
})

test('models of one colour have all textures', () => {
  const ofOne = ids.filter((id) => seriesOf(id) === 1).map(textureOf)
  expect(new Set(ofOne).size).toBe(4)
})
