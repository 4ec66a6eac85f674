import { expect, test } from 'bun:test'
import type { CatalogEntry } from '../catalog/catalog.ts'
import { freePricing, type ModelType, type Pricing } from '../core/model.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { cheapestOf, requireFunds } from './require-funds.ts'

function model(type: ModelType, pricing: Pricing | undefined, status: CatalogEntry['status'] = { kind: 'ready' }) {
  const manifest = {
    ...testManifest({ id: 'a/b', type }),
    pricing,
  }
  return { manifest, status, filePaths: {}, addedAtMs: 0 }
}

const perToken = (input: number, output: number): Pricing => {
  return { inputNanoUsd: input * 1_000_000, outputNanoUsd: output * 1_000_000, unit: '1M_tokens' }
}

const chats = ['chat', 'vision'] as const

test('the cheapest model is one that is priced, ready and of these types', () => {
  const entries = [
    model('chat', perToken(10, 30)),
    model('vision', perToken(5, 20)),
    model('chat', perToken(1, 1), { kind: 'available' }),
    model('chat', undefined),
    model('embedding', { priceNanoUsd: 3_000_000, unit: '1M_tokens' }),
  ]
  expect(cheapestOf(entries, chats)?.leastNanoUsd).toBe(25)
  expect(cheapestOf(entries, ['embedding'])?.leastNanoUsd).toBe(3)
  expect(cheapestOf(entries, ['rerank'])).toBeUndefined()
})

function funds(availableNanoUsd: number, entries: readonly CatalogEntry[], isFree = false) {
  return requireFunds({ accountId: 'acc_1', keyId: 'key_1' }, isFree ? 'count' : 'chat', {
    till: {
      check: ({ amountNanoUsd }) =>
        amountNanoUsd > availableNanoUsd ? { kind: 'insufficient', availableNanoUsd } : { kind: 'held' },
    },
    entries: () => entries,
    billingUrl: 'http://localhost/billing',
  })
}

test('an account that cannot pay for a token of the cheapest model is refused', () => {
  const entries = [model('chat', perToken(10, 30)), model('chat', perToken(1, 2))]
  expect(() => funds(2, entries)).toThrow('http://localhost/billing')
  expect(funds(3, entries)).toBe(true)
})

test('an account without money may use what is free', () => {
  expect(funds(0, [model('chat', perToken(1, 2)), model('chat', freePricing.chat)])).toBe(false)
  expect(funds(0, [model('chat', perToken(1, 2))], true)).toBe(false)
  expect(funds(0, [])).toBe(false)
  expect(funds(1, [model('chat', freePricing.chat)])).toBe(true)
})
