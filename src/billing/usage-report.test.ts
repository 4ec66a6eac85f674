import { expect, test } from 'bun:test'
import { nothingConsumed } from '../core/usage.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const dayMs = 24 * 60 * 60 * 1000

function filled() {
  const clock = { nowMs: noon }
  const books = openTestAccounts(':memory:', () => clock.nowMs)
  const [ada, bob] = [books.account(1_000), books.account(1_000)]
  let requests = 0
  const use = (who: typeof ada, model: string, cost: number, daysLater = 0) => {
    clock.nowMs = noon + daysLater * dayMs
    books.stores.usage.insert({
      requestId: `req_${++requests}`,
      accountId: who.accountId,
      keyId: who.keyId,
      endpoint: 'chat/completions',
      model,
      used: { ...nothingConsumed, promptTokens: 10, cachedTokens: 4, completionTokens: 3, reasoningTokens: 1 },
      pricing: { unit: '1M_tokens' },
      costNanoUsd: cost,
      chargedNanoUsd: cost,
      isMetered: true,
      finish: 'stop',
    })
  }
  use(ada, 'a/small', 1)
  use(ada, 'a/large', 10)
  use(bob, 'a/small', 100, 1)
  use(ada, 'a/small', 1_000, 2)
  return { books, ada, bob }
}

const brief = (rows: readonly { group: string; requests: number; costNanoUsd: number }[]) =>
  rows.map(({ group, requests, costNanoUsd }) => [group, requests, costNanoUsd])

test('usage is summed by day, model, key and account', () => {
  const { books, ada, bob } = filled()
  using _ = books
  const { sumUsage } = books.stores
  expect(brief(sumUsage({ by: 'day' }))).toEqual([
    ['2026-11-20', 2, 11],
    ['2026-11-21', 1, 100],
    ['2026-11-22', 1, 1_000],
  ])
  expect(brief(sumUsage({ by: 'model' }))).toEqual([
    ['a/small', 3, 1_101],
    ['a/large', 1, 10],
  ])
  expect(brief(sumUsage({ by: 'key' }))).toEqual([
    [ada.keyId, 3, 1_011],
    [bob.keyId, 1, 100],
  ])
  expect(sumUsage({ by: 'account' })[0]).toEqual({
    group: ada.accountId,
    label: 'test',
    requests: 3,
    promptTokens: 30,
    cachedTokens: 12,
    completionTokens: 9,
    reasoningTokens: 3,
    characters: 0,
    audioMs: 0,
    costNanoUsd: 1_011,
    chargedNanoUsd: 1_011,
  })
})

test('a report is of one account and a time, its end left out', () => {
  const { books, ada } = filled()
  using _ = books
  const { sumUsage } = books.stores
  expect(brief(sumUsage({ by: 'model', accountId: ada.accountId }))).toEqual([
    ['a/small', 2, 1_001],
    ['a/large', 1, 10],
  ])
  expect(brief(sumUsage({ by: 'day', fromMs: noon + dayMs, toMs: noon + 2 * dayMs }))).toEqual([['2026-11-21', 1, 100]])
  expect(sumUsage({ by: 'day', accountId: 'acc_x' })).toEqual([])
})
