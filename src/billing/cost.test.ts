import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Pricing } from '../core/model.ts'
import { type Consumption, nothingConsumed } from '../core/usage.ts'
import { affordable, costNanoUsd } from './cost.ts'

const chat: Pricing = {
  inputNanoUsd: 80_000_000,
  cachedInputNanoUsd: 20_000_000,
  outputNanoUsd: 350_000_000,
  unit: '1M_tokens',
}
const embedding: Pricing = { priceNanoUsd: 10_000_000, unit: '1M_tokens' }
const speech: Pricing = { priceNanoUsd: 650_000_000, unit: '1M_characters' }
const transcription: Pricing = { priceNanoUsd: 2_000_000, unit: 'minute' }

const cases: readonly [string, Pricing, Partial<Consumption>, number][] = [
  ['nothing costs nothing', chat, {}, 0],
  ['prompt and output at their prices', chat, { promptTokens: 1_000, completionTokens: 100 }, 80_000 + 35_000],
  ['cached tokens at theirs', chat, { promptTokens: 1_000, cachedTokens: 600 }, 400 * 80 + 600 * 20],
  ['reasoning is output, not charged twice', chat, { completionTokens: 10, reasoningTokens: 10 }, 3_500],
  [
    'cached tokens at the input price where there is no other',
    { ...chat, cachedInputNanoUsd: undefined },
    { promptTokens: 10, cachedTokens: 10 },
    800,
  ],
  [
    'parts of a nano-USD are rounded up once',
    { ...chat, inputNanoUsd: 1, outputNanoUsd: 1 },
    { promptTokens: 1, completionTokens: 1 },
    1,
  ],
  ['embedding by the token', embedding, { promptTokens: 1_000 }, 10_000],
  ['speech by the character', speech, { characters: 20_000 }, 13_000_000],
  ['transcription by the second of audio', transcription, { audioMs: 90_000 }, 3_000_000],
  ['pictures one by one', { unit: 'image', priceNanoUsd: 20_000_000 }, { images: 3 }, 60_000_000],
  ['parts of a millisecond count as one', transcription, { audioMs: 0.1 }, 34],
]

describe('the cost of', () => {
  test.each(cases)('%s', (_, pricing, used, cost) => {
    expect(costNanoUsd(pricing, { ...nothingConsumed, ...used })).toBe(cost)
  })
})

const tokens = fc.integer({ min: 0, max: 16_777_216 })
const price = fc.integer({ min: 0, max: 1_000_000_000_000 })
const pricing = fc
  .record({ inputNanoUsd: price, outputNanoUsd: price, share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(
    ({ share, ...prices }): Pricing => ({
      ...prices,
      cachedInputNanoUsd: Math.floor(prices.inputNanoUsd * share),
      unit: '1M_tokens',
    }),
  )

test('what is computed of a prompt and an answer never costs more than all of it, nothing cached', () => {
  fc.assert(
    fc.property(
      pricing,
      tokens,
      tokens,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
      (prices, promptTokens, completionTokens, [a = 0, b = 0, c = 0]) => {
        const processed = Math.floor(promptTokens * a)
        const used = {
          ...nothingConsumed,
          promptTokens: processed,
          cachedTokens: Math.floor(processed * b),
          completionTokens: Math.floor(completionTokens * c),
        }
        const most = costNanoUsd(prices, { ...nothingConsumed, promptTokens, completionTokens })
        expect(costNanoUsd(prices, used)).toBeLessThanOrEqual(most)
      },
    ),
  )
})

test('affordable tokens are paid for, one more is not', () => {
  fc.assert(
    fc.property(pricing, tokens, fc.integer({ min: 0, max: 1_000_000_000 }), (prices, promptTokens, nano) => {
      const cost = (completionTokens: number) =>
        costNanoUsd(prices, { ...nothingConsumed, promptTokens, completionTokens })
      const most = affordable(prices, { ...nothingConsumed, promptTokens }, 'completionTokens', nano)
      if (most === Number.POSITIVE_INFINITY) return expect(cost(16_777_216)).toBeLessThanOrEqual(nano)
      if (most > 0) expect(cost(most)).toBeLessThanOrEqual(nano)
      expect(cost(most + 1)).toBeGreaterThan(nano)
    }),
  )
})

test.each<[string, Pricing, keyof Consumption, number]>([
  ['characters', speech, 'characters', 1_538],
  ['milliseconds of audio', transcription, 'audioMs', 30_000],
  ['pictures', { unit: 'image', priceNanoUsd: 300_000 }, 'images', 3],
  ['texts', embedding, 'promptTokens', 100_000],
  ['what has no price', speech, 'completionTokens', Number.POSITIVE_INFINITY],
])('money pays for so many %s', (_, prices, dimension, amount) => {
  expect(affordable(prices, nothingConsumed, dimension, 1_000_000)).toBe(amount)
})
