import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import type { MeasurementKey } from './measured-memory.ts'

const key: MeasurementKey = {
  modelId: 'test/model',
  files: 'v1',
  settings: { contextTokens: 4096, kvType: 'f16' },
  placement: 'gpu0',
  backend: 'llama 1, NVIDIA H100, driver 570',
}
const day = 24 * 60 * 60 * 1000

test('nothing is known before the first measurement', () => {
  using books = openTestAccounts()
  const { measuredMemory } = books.stores
  expect(measuredMemory.recall(key)).toEqual({ peakBytes: {}, overheadBytes: {}, loadMs: undefined })
})

test('the highest of all measurements is kept, for ever', () => {
  using books = openTestAccounts()
  const { measuredMemory } = books.stores
  measuredMemory.record(key, { peakBytes: { gpu0: 9, host: 2 }, overheadBytes: { gpu0: 1 }, loadMs: 4000 })
  measuredMemory.record(key, { peakBytes: { gpu0: 7, host: 3 }, overheadBytes: { gpu0: 0, host: 1 } })
  expect(measuredMemory.recall(key)).toEqual({
    peakBytes: { gpu0: 9, host: 3 },
    overheadBytes: { gpu0: 1, host: 1 },
    loadMs: 4000,
  })
})

test.each([
  ['model', { modelId: 'test/other' }],
  ['file', { files: 'v2' }],
  ['setting', { settings: { ...key.settings, contextTokens: 8192 } }],
  ['placement', { placement: 'cpu' }],
])('another %s starts anew, but for the overhead of its backend', (_, change) => {
  using books = openTestAccounts()
  const { measuredMemory } = books.stores
  measuredMemory.record(key, { peakBytes: { gpu0: 9 }, overheadBytes: { gpu0: 1 }, loadMs: 4000 })
  expect(measuredMemory.recall({ ...key, ...change })).toEqual({
    peakBytes: {},
    overheadBytes: { gpu0: 1 },
    loadMs: undefined,
  })
})

test('another driver, or version of the engine, starts anew in everything', () => {
  using books = openTestAccounts()
  const { measuredMemory } = books.stores
  measuredMemory.record(key, { peakBytes: { gpu0: 9 }, overheadBytes: { gpu0: 1 } })
  const changed = { ...key, backend: 'llama 1, NVIDIA H100, driver 580' }
  expect(measuredMemory.recall(changed)).toEqual({ peakBytes: {}, overheadBytes: {}, loadMs: undefined })
})

test('the order of settings does not matter', () => {
  using books = openTestAccounts()
  const { measuredMemory } = books.stores
  measuredMemory.record(key, { peakBytes: { host: 9 }, overheadBytes: {} })
  const reordered = { ...key, settings: { kvType: 'f16', contextTokens: 4096 } }
  expect(measuredMemory.recall(reordered).peakBytes).toEqual({ host: 9 })
})

test('the time of loads is a mean that follows the latest', () => {
  using books = openTestAccounts()
  const { measuredMemory } = books.stores
  const record = (loadMs?: number) => measuredMemory.record(key, { peakBytes: {}, overheadBytes: {}, loadMs })
  for (const loadMs of [1000, 3000, undefined, 2000]) record(loadMs)
  expect(measuredMemory.recall(key).loadMs).toBeCloseTo(2000)
  for (let load = 0; load < 20; load++) record(500)
  expect(measuredMemory.recall(key).loadMs).toBeLessThan(520)
})

test('what was not used for half a year is forgotten', () => {
  let now = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => now)
  const { measuredMemory } = books.stores
  const other = { ...key, modelId: 'test/other' }
  const measured = { peakBytes: { host: 1 }, overheadBytes: {} }
  measuredMemory.record(key, measured)
  now += 170 * day
  measuredMemory.record(other, measured)
  expect(measuredMemory.recall(key).peakBytes).toEqual({ host: 1 })
  now += 20 * day
  measuredMemory.record(other, measured)
  expect(measuredMemory.recall(key).peakBytes).toEqual({})
})

test("a model's load time is the mean of the placement that it was loaded in last", () => {
  let nowMs = 1_000
  using books = openTestAccounts(':memory:', () => nowMs++)
  const { measuredMemory } = books.stores
  const unknown = { peakBytes: {}, overheadBytes: {} }
  measuredMemory.record(key, { ...unknown, loadMs: 9_000 })
  measuredMemory.record({ ...key, placement: 'cpu' }, { ...unknown, loadMs: 4_000 })
  measuredMemory.record({ ...key, placement: 'cpu' }, { ...unknown, loadMs: 2_000 })
  measuredMemory.record({ ...key, placement: 'gpu1' }, unknown)
  expect(measuredMemory.latestLoads()).toEqual(new Map([['test/model', 3_000]]))
})
