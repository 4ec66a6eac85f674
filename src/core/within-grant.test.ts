import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { costNanoUsd } from '../billing/cost.ts'
import { type Consumption, nothingConsumed } from './usage.ts'
import { withinGrant } from './within-grant.ts'

const granted: Consumption = {
  ...nothingConsumed,
  ...{ promptTokens: 30, completionTokens: 10, characters: 5, audioMs: 7.5, images: 2 },
}

test('what fits is what it was', () => {
  const used = { ...granted, promptTokens: 20, cachedTokens: 20, reasoningTokens: 10 }
  expect(withinGrant(used, granted)).toEqual({ used })
  expect(withinGrant(nothingConsumed, granted)).toEqual({ used: nothingConsumed })
})

test('each dimension is cut to what was granted, and its parts to it', () => {
  const said = {
    promptTokens: 31,
    cachedTokens: 31,
    completionTokens: 4,
    reasoningTokens: 5,
    characters: 6,
    audioMs: 8,
    images: 3,
  }
  const { used, excess } = withinGrant(said, granted)
  expect(used).toEqual({ ...granted, cachedTokens: 30, completionTokens: 4, reasoningTokens: 4 })
  expect(excess?.message).toBe(
    'the engine says that it used more than it was granted: promptTokens 31, of which 30 can be; ' +
      'cachedTokens 31, of which 30 can be; reasoningTokens 5, of which 4 can be; ' +
      'characters 6, of which 5 can be; audioMs 8, of which 7.5 can be; images 3, of which 2 can be',
  )
})

test('whatever is said, it costs something between nothing and what is held for the grant', () => {
  const amount = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.constantFrom(1e18, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY),
  )
  const consumption = fc.record({
    ...{ promptTokens: amount, cachedTokens: amount, completionTokens: amount, reasoningTokens: amount },
    ...{ characters: amount, audioMs: amount, images: amount },
  })
  const nanoUsd = fc.nat({ max: 1e9 })
  fc.assert(
    fc.property(consumption, nanoUsd, nanoUsd, (said, inputNanoUsd, outputNanoUsd) => {
      const { used } = withinGrant(said, granted)
      for (const pricing of [
        { unit: '1M_tokens', inputNanoUsd, outputNanoUsd, cachedInputNanoUsd: inputNanoUsd >> 1 } as const,
        { unit: 'minute', priceNanoUsd: inputNanoUsd } as const,
        { unit: '1M_characters', priceNanoUsd: inputNanoUsd } as const,
        { unit: 'image', priceNanoUsd: inputNanoUsd } as const,
      ]) {
        const cost = costNanoUsd(pricing, used)
        expect(cost).toBeGreaterThanOrEqual(0)
        expect(cost).toBeLessThanOrEqual(costNanoUsd(pricing, granted))
      }
    }),
  )
})
