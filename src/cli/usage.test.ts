import { expect, test } from 'bun:test'
import { nothingConsumed } from '../core/usage.ts'
import { usageTable } from './usage.ts'

const row = (group: string, used: Partial<typeof nothingConsumed>) => ({
  ...nothingConsumed,
  ...used,
  groups: [{ by: 'model' as const, id: group, label: null }],
  requests: 1,
  costNanoUsd: 0,
  chargedNanoUsd: 0,
})

test('recordings and spoken texts have columns where there were some', () => {
  const headOf = (...rows: ReturnType<typeof row>[]) => usageTable(['model'], rows).split('\n')[0]
  const tokens = 'MODEL  REQUESTS  INPUT  CACHED  OUTPUT'
  expect(headOf(row('a', { promptTokens: 1 }))).toBe(`${tokens}  COST  CHARGED`)
  const rows = [row('a', { audioMs: 90_000 }), row('b', { characters: 7 })]
  expect(headOf(...rows)).toBe(`${tokens}  AUDIO MINUTES  CHARACTERS  COST  CHARGED`)
  const shown = usageTable(['model'], rows).split('\n').slice(1, 3)
  expect(shown.map((line) => line.split(/ +/))).toEqual([
    ['a', '1', '0', '0', '0', '1.5', '0', '$0', '$0'],
    ['b', '1', '0', '0', '0', '0.0', '7', '$0', '$0'],
  ])
})
