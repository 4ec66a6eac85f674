import { expect, test } from 'bun:test'
import { seriesOf } from '../series.ts'
import type { Row } from './measures.ts'
import { roundUp, stacksOf } from './stacks.ts'

function row(day: string, by: 'model' | 'key', id: string, requests: number, label: string | null = null): Row {
  return {
    groups: [
      { by: 'day', id: day, label: null },
      { by, id, label },
    ],
    ...{ requests, promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0, characters: 0 },
    ...{ audioMs: 0, images: 0, costUsd: '0', chargedUsd: '0', estimatedRequests: 0, estimatedCostUsd: '0' },
  }
}

const days = ['2026-11-01', '2026-11-02', '2026-11-03']

test('a day is a bar in parts, the largest of all days lowest and the others on top', () => {
  const rows = [
    row('2026-11-01', 'model', '', 9),
    row('2026-11-01', 'model', 'org/b', 3),
    row('2026-11-01', 'model', 'org/a', 2),
    row('2026-11-03', 'model', 'org/a', 6),
  ]
  const { series, stacks, maximum, highest } = stacksOf(rows, days, 'requests')
  expect(series.map(({ name }) => name)).toEqual(['org/a', 'org/b', 'others'])
  expect(series.map(({ colour }) => colour)).toEqual([
    ...[`series-${seriesOf('org/a')}`, `series-${seriesOf('org/b')}`, 'series-rest'],
  ])
  expect([highest, maximum]).toEqual([14, 20])
  expect(stacks.map(({ day, parts }) => [day, ...parts.map(({ series: { id }, height }) => [id, height])])).toEqual([
    ['2026-11-01', ['org/a', 0.1], ['org/b', 0.15], ['', 0.45]],
    ['2026-11-02'],
    ['2026-11-03', ['org/a', 0.3]],
  ])
})

test('what has nothing of the measure is not drawn', () => {
  expect(stacksOf([row('2026-11-01', 'model', 'org/a', 2)], days, 'cost')).toMatchObject({ series: [], maximum: 0 })
})

test('models of one colour differ by their pattern', () => {
  const ids = Array.from({ length: 9 }, (_, index) => `org/${index}`)
  const { series } = stacksOf(
    ids.map((id) => row('2026-11-01', 'model', id, 1)),
    days,
    'requests',
  )
  const looks = series.map(({ colour, pattern }) => `${colour} ${pattern}`)
  expect(new Set(looks).size).toBe(ids.length)
})

test('keys of one name are told apart', () => {
  const rows = [row('2026-11-01', 'key', 'key_1', 2, 'laptop'), row('2026-11-01', 'key', 'key_2', 1, 'laptop')]
  const { series } = stacksOf(rows, days, 'requests')
  expect(series.map(({ name }) => name)).toEqual(['laptop (key_1)', 'laptop (key_2)'])
  expect(series.map(({ colour }) => colour)).toEqual(['series-1', 'series-2'])
})

test('the top of the picture is a round number', () => {
  const values = [0, 0.000_000_001, 0.3, 1, 2.1, 7, 10, 4_321]
  expect(values.map(roundUp).map((value) => Number(value.toPrecision(3)))).toEqual([
    ...[0, 0.000_000_001, 0.3, 1, 3, 8, 10, 5_000],
  ])
})
