import { expect, test } from 'bun:test'
import { measures, minutesText, nameOf, shareText } from './measures.ts'

test('nothing that is there is written as 0', () => {
  expect([0, 1, 600_000, 72_000_000].map(minutesText)).toEqual(['0', '< 0.1', '10', '1,200'])
  expect([0, 1, 5, 1_000].map((size) => shareText(size, 5_000))).toEqual(['', '< 0.1 %', '0.1 %', '20.0 %'])
  expect(shareText(0, 0)).toBe('')
})

test('lines across the picture have the digits that they need', () => {
  const ticks = [0.000_000_000_5, 0.000_000_001, 0.000_5, 2.5, 1_000]
  expect(ticks.map(measures.cost.tick)).toEqual(['$0.0000000005', '$0.000000001', '$0.0005', '$2.50', '$1,000.00'])
  expect([500, 2_500_000].map(measures.tokens.tick)).toEqual(['500', '2.5M'])
  expect(measures.audio.tick(0.25)).toBe('0.25 min')
})

test('a key is named with its account where several are shown', () => {
  expect(nameOf({ by: 'key', id: 'key_1', label: 'laptop', owner: 'ada@example.org' })).toBe('laptop · ada@example.org')
  expect(nameOf({ by: 'key', id: 'key_1', label: 'laptop' })).toBe('laptop')
  expect(nameOf({ by: 'model', id: 'org/one', label: null })).toBe('org/one')
  expect(nameOf({ by: 'key', id: '', label: null, owner: null })).toBe('others')
})
