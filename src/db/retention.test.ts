import { expect, test } from 'bun:test'
import { dayMs } from '../core/durations.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { personalTables } from './personal-data.ts'
import { deletedKinds, keptForEver, purgeExpired } from './retention.ts'

test('each table of persons says how long its rows are kept', () => {
  const kinds = new Set([...deletedKinds.map(({ table }) => table), ...Object.keys(keptForEver)])
  expect(Object.keys(personalTables).filter((table) => !kinds.has(table))).toEqual([])
})

/** Records paid requests that ended at these times. */
function spend({ database, stores, account }: TestAccounts, timesMs: readonly number[]) {
  const { accountId, keyId } = account(1_000_000)
  for (const [index, timeMs] of timesMs.entries()) {
    const entry = { accountId, kind: 'usage', amountNanoUsd: -100, requestId: `req_${index}`, actor: 'system' } as const
    stores.ledger.append(entry)
    database
      .query(
        `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens,
           completion_tokens, reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, created)
         VALUES (?, ?, ?, 'chat/completions', 'm', 1, 0, 1, 0, 0, 0, '{}', 100, 100, 'stop', ?)`,
      )
      .run(`req_${index}`, accountId, keyId, timeMs)
  }
  return accountId
}

const nowMs = 20_000 * dayMs + 1_000
const times = [0, 1, 2, 29, 30, 31, 100].map((days) => nowMs - days * dayMs)

test('requests older than the setting says go in small parts, their sums stay, and the books still add up', () => {
  let clockMs = nowMs - 200 * dayMs
  using books = openTestAccounts(':memory:', () => clockMs)
  const accountId = spend(books, times)
  clockMs = nowMs
  const sums = () => books.stores.sumUsage({ accountId, by: ['account'] } as never).total
  const before = sums()
  const purge = (usageKeepDays: number) => purgeExpired(books.database, { nowMs, maximumRows: 1, usageKeepDays })
  expect(purge(0)).toBe(false)
  expect(books.stores.usage.list()).toHaveLength(7)
  expect([purge(30), purge(30), purge(30)]).toEqual([true, true, false])
  expect(books.stores.usage.list()).toHaveLength(5)
  expect(sums()).toEqual(before)
  expect(books.stores.checkIntegrity().problems).toEqual([])
  // Nothing comes back with a longer time.
  purge(365)
  expect(books.stores.checkIntegrity().problems).toEqual([])
})

test('events for webhooks go 30 days after they came about, unless they still wait', () => {
  let clockMs = nowMs - 31 * dayMs
  using books = openTestAccounts(':memory:', () => clockMs)
  const { webhookDeliveries } = books.stores
  webhookDeliveries.add('waiting', { type: 'x', body: '' })
  webhookDeliveries.addEnded({ id: 'msg_old', webhook: 'old', type: 'x' }, { kind: 'taken', status: 200 })
  clockMs = nowMs
  webhookDeliveries.addEnded({ id: 'msg_new', webhook: 'new', type: 'x' }, { kind: 'taken', status: 200 })
  purgeExpired(books.database, { nowMs, maximumRows: 10 })
  expect(webhookDeliveries.list({}).map(({ webhook }) => webhook)).toEqual(['new', 'waiting'])
})

test('a request that is missing within the time it is kept is still found', () => {
  using books = openTestAccounts(':memory:', () => nowMs)
  spend(books, times)
  while (purgeExpired(books.database, { nowMs, maximumRows: 10, usageKeepDays: 30 })) {}
  books.database.run('DELETE FROM usage WHERE request_id = ?', ['req_1'])
  expect(books.stores.checkIntegrity().problems.length).toBeGreaterThan(0)
})
