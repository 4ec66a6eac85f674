import { expect, test } from 'bun:test'
import { nothingConsumed } from '../core/usage.ts'
import { layOut } from './layout.ts'
import { usageTable } from './usage.ts'

const laidOut = (text: string) => layOut(text, { width: undefined, isStyled: false })

const row = (group: string, used: Partial<typeof nothingConsumed>) => ({
  ...nothingConsumed,
  ...used,
  groups: [{ by: 'model' as const, id: group, label: null }],
  requests: 1,
  costNanoUsd: 0,
  chargedNanoUsd: 0,
  estimatedRequests: 0,
  estimatedCostNanoUsd: 0,
})

test('recordings, spoken texts and pictures have columns where there were some', () => {
  const headOf = (...rows: ReturnType<typeof row>[]) => laidOut(usageTable(['model'], rows)).split('\n')[0]
  const tokens = 'MODEL  REQUESTS  INPUT  CACHED  OUTPUT'
  expect(headOf(row('a', { promptTokens: 1 }))).toBe(`${tokens}  COST  CHARGED`)
  const rows = [row('a', { audioMs: 90_000 }), row('b', { characters: 7, images: 2 })]
  expect(headOf(...rows)).toBe(`${tokens}  AUDIO MINUTES  CHARACTERS  PICTURES  COST  CHARGED`)
  const shown = laidOut(usageTable(['model'], rows))
    .split('\n')
    .slice(1, 3)
  expect(shown.map((line) => line.split(/ +/))).toEqual([
    ['a', '1', '0', '0', '0', '1.5', '0', '0', '$0', '$0'],
    ['b', '1', '0', '0', '0', '0.0', '7', '2', '$0', '$0'],
  ])
})

test('what was estimated has a column where there was some: how many requests, and their cost', () => {
  const rows = [row('a', { promptTokens: 1 }), { ...row('b', {}), estimatedRequests: 2, estimatedCostNanoUsd: 3_000 }]
  const [head, ...lines] = laidOut(usageTable(['model'], rows)).split('\n')
  expect(head).toBe('MODEL  REQUESTS  INPUT  CACHED  OUTPUT  ESTIMATED     COST  CHARGED')
  expect(lines.map((line) => line.split(/ {2,}/)[5])).toEqual(['0, $0', '2, $0.000003', undefined])
})
