import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import type { DryRunKey } from './dry-runs.ts'

const key: DryRunKey = { modelId: 'a/b', revision: 'r', budgetBytes: { host: 5, gpu0: 9 }, machine: 'm' }
const placements = [{ key: 'cpu', label: 'CPU', needBytes: { host: 3 }, load: { isMapped: true }, rank: 0 }]
const day = 24 * 60 * 60 * 1000

test('a dry run is remembered, whatever the order of its pools', () => {
  using books = openTestAccounts()
  const { dryRuns } = books.stores
  expect(dryRuns.recall(key)).toBeUndefined()
  dryRuns.record(key, placements)
  expect(dryRuns.recall({ ...key, budgetBytes: { gpu0: 9, host: 5 } })).toEqual(placements)
})

test.each<Partial<DryRunKey>>([
  { modelId: 'a/c' },
  { revision: 's' },
  { budgetBytes: { host: 6, gpu0: 9 } },
  { budgetBytes: { host: 5 } },
  { machine: 'n' },
])('another question is asked again: %j', (change) => {
  using books = openTestAccounts()
  const { dryRuns } = books.stores
  dryRuns.record(key, placements)
  expect(dryRuns.recall({ ...key, ...change })).toBeUndefined()
})

test('a dry run that was not recorded again for half a year is forgotten', () => {
  let now = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => now)
  const { dryRuns } = books.stores
  dryRuns.record(key, placements)
  now += 190 * day
  dryRuns.record({ ...key, modelId: 'a/c' }, placements)
  expect(dryRuns.recall(key)).toBeUndefined()
})
