import { expect, test } from 'bun:test'
import type { Placement } from '../core/memory.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { memoryBudget, memoryOutlook } from './memory-outlook.ts'

const GB = 1e9
const budgetBytes = { host: 50 * GB, gpu0: 20 * GB }

function placement(key: string, needBytes: Placement['needBytes']): Placement {
  return { key, label: key, needBytes, load: {} }
}

/** A model of 15 GB whose context takes 1 GB for 4k tokens. */
async function placementsWith(tokens = 0) {
  const bytes = 15 * GB + (tokens / 4096) * GB
  return [placement('gpu0', { gpu0: bytes, host: GB }), placement('cpu', { host: 3 * bytes })]
}

const outlook = (contextTokens: number, contextLength?: number, budget = budgetBytes) =>
  memoryOutlook({ manifest: testManifest({ contextLength }) }, { budgetBytes: budget, contextTokens, placementsWith })

test('a model that fits as it is set fits with that context', async () => {
  expect(await outlook(16_384)).toMatchObject({ fits: true, contextTokens: 16_384, placement: { key: 'gpu0' } })
})

test('a slower placement with the whole context comes before a faster one with less', async () => {
  const budget = { host: 90 * GB, gpu0: 20 * GB }
  expect(await outlook(32_768, undefined, budget)).toMatchObject({
    fits: true,
    contextTokens: 32_768,
    placement: { key: 'cpu' },
  })
})

test('a model that does not fit is tried with smaller contexts', async () => {
  expect(await outlook(32_768)).toMatchObject({ fits: true, contextTokens: 16_384, placement: { key: 'gpu0' } })
  expect(await outlook(131_072)).toMatchObject({ fits: true, contextTokens: 16_384 })
})

test('no context is longer than the model’s own', async () => {
  expect(await outlook(131_072, 8_192)).toMatchObject({ fits: true, contextTokens: 8_192 })
})

test('what fits nowhere says the least that it needs', async () => {
  const found = await outlook(32_768, undefined, { host: GB, gpu0: GB })
  expect(found).toMatchObject({ fits: false, contextTokens: 4_096, placement: { key: 'gpu0' } })
})

test('what models may have is the memory there is, less what is kept, up to the limit', () => {
  const readings = {
    host: { totalBytes: 100 * GB, freeBytes: 1 },
    gpu0: { totalBytes: 24 * GB, freeBytes: 1 },
    gpu1: 'unknown' as const,
  }
  expect(memoryBudget(readings, {})).toEqual({ host: 90 * GB, gpu0: 24 * GB - 0.03 * 24 * GB })
  expect(memoryBudget(readings, { limitBytes: 10 * GB })).toEqual({ host: 10 * GB, gpu0: 10 * GB })
})
