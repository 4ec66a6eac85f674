import { expect, test } from 'bun:test'
import { dayMs } from '../core/durations.ts'
import { nothingConsumed, type UsageMeasure, type UsageReport } from '../core/usage.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'

const noon = Date.UTC(2026, 10, 20, 12)

function filled() {
  const clock = { nowMs: noon }
  const books = openTestAccounts(':memory:', () => clock.nowMs)
  const [ada, bob] = [books.account(1_000), books.account(1_000)]
  let requests = 0
  const use = (who: typeof ada, model: string, cost: number, daysLater = 0, isEstimated = false) => {
    clock.nowMs = Math.round(noon + daysLater * dayMs)
    books.stores.usage.insert({
      ...endedRecord,
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
      isEstimated,
    })
  }
  use(ada, 'a/small', 1)
  use(ada, 'a/large', 10)
  use(bob, 'a/small', 100, 1)
  use(ada, 'a/small', 1_000, 2)
  const useAt = (timeMs: number, isEstimated = false) => use(ada, 'a/small', 5, (timeMs - noon) / dayMs, isEstimated)
  return { books, ada, bob, use: useAt }
}

const brief = ({ rows }: UsageReport) =>
  rows.map(({ groups, requests, costNanoUsd }) => [...groups.map(({ id }) => id), requests, costNanoUsd])

test('usage is summed by day, model, key and account', () => {
  const { books, ada, bob } = filled()
  using _ = books
  const { sumUsage } = books.stores
  expect(brief(sumUsage({ by: ['day'] }))).toEqual([
    ['2026-11-20', 2, 11],
    ['2026-11-21', 1, 100],
    ['2026-11-22', 1, 1_000],
  ])
  expect(brief(sumUsage({ by: ['model'] }))).toEqual([
    ['a/small', 3, 1_101],
    ['a/large', 1, 10],
  ])
  expect(brief(sumUsage({ by: ['key'] }))).toEqual([
    [ada.keyId, 3, 1_011],
    [bob.keyId, 1, 100],
  ])
  expect(sumUsage({ by: ['account'] }).rows[0]).toEqual({
    groups: [{ by: 'account', id: ada.accountId, label: 'test' }],
    requests: 3,
    promptTokens: 30,
    cachedTokens: 12,
    completionTokens: 9,
    reasoningTokens: 3,
    characters: 0,
    audioMs: 0,
    images: 0,
    costNanoUsd: 1_011,
    chargedNanoUsd: 1_011,
    estimatedRequests: 0,
    estimatedCostNanoUsd: 0,
  })
})

test('usage is summed by two of them, days in order and then the highest cost first', () => {
  const { books, ada, bob } = filled()
  using _ = books
  const { sumUsage } = books.stores
  expect(brief(sumUsage({ by: ['day', 'model'] }))).toEqual([
    ['2026-11-20', 'a/large', 1, 10],
    ['2026-11-20', 'a/small', 1, 1],
    ['2026-11-21', 'a/small', 1, 100],
    ['2026-11-22', 'a/small', 1, 1_000],
  ])
  expect(brief(sumUsage({ by: ['key', 'day'], accountId: bob.accountId }))).toEqual([[bob.keyId, '2026-11-21', 1, 100]])
  expect(sumUsage({ by: ['account', 'key'] }).rows[0]?.groups).toEqual([
    { by: 'account', id: ada.accountId, label: 'test' },
    { by: 'key', id: ada.keyId, label: 'test', owner: 'test' },
  ])
})

test.each([[['day']], [['model']], [['day', 'key']], [['model', 'account']]] as const)(
  'the total by %p is the sum of all requests',
  (by) => {
    const { books } = filled()
    using _ = books
    const { rows, total } = books.stores.sumUsage({ by })
    expect(total).toMatchObject({ requests: 4, promptTokens: 40, costNanoUsd: 1_111, chargedNanoUsd: 1_111 })
    expect(rows.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0)).toBe(total.costNanoUsd)
  },
)

test('all amounts of the requests of a day are summed', () => {
  const { books, ada } = filled()
  using _ = books
  const used = {
    ...{ promptTokens: 7, cachedTokens: 2, completionTokens: 3, reasoningTokens: 1 },
    ...{ characters: 5, audioMs: 11, images: 4 },
  }
  for (const requestId of ['req_one', 'req_two']) {
    books.stores.usage.insert({
      ...{ ...endedRecord, requestId, accountId: ada.accountId, keyId: ada.keyId, endpoint: 'any', model: 'a/all' },
      ...{ used, pricing: { unit: '1M_tokens' }, costNanoUsd: 6, chargedNanoUsd: 6, isMetered: true, finish: 'stop' },
    })
  }
  const twice = Object.fromEntries(Object.entries(used).map(([name, amount]) => [name, 2 * amount]))
  const sums = { ...twice, requests: 2, costNanoUsd: 12, chargedNanoUsd: 12 }
  const query = { by: ['day'], model: 'a/all' } as const
  expect(books.stores.sumUsage(query).rows[0]).toMatchObject(sums)
  // Parts of days are read from single requests.
  expect(books.stores.sumUsage({ ...query, toMs: noon + 2 * dayMs + 1 }).rows[0]).toMatchObject(sums)
})

test('beyond a limit the rest has one row without an id, and the total stays what it is', () => {
  const { books, ada, bob } = filled()
  using _ = books
  const { sumUsage } = books.stores
  expect(brief(sumUsage({ by: ['model'], limit: 1 }))).toEqual([
    ['a/small', 3, 1_101],
    ['', 1, 10],
  ])
  expect(brief(sumUsage({ by: ['day', 'account'], limit: 1 }))).toEqual([
    ['2026-11-20', ada.accountId, 2, 11],
    ['2026-11-21', '', 1, 100],
    ['2026-11-22', ada.accountId, 1, 1_000],
  ])
  // The requested range decides which accounts have separate rows.
  const until = noon + 2 * dayMs
  expect(brief(sumUsage({ by: ['account'], limit: 1, toMs: until })).map(([id]) => id)).toEqual([bob.accountId, ''])
  expect(sumUsage({ by: ['account'], limit: 1 }).total).toEqual(sumUsage({ by: ['account'] }).total)
})

test('the measure decides who comes first', () => {
  const { books, ada, bob } = filled()
  using _ = books
  const firsts = (measure: UsageMeasure) => brief(books.stores.sumUsage({ by: ['account'], measure, limit: 1 }))
  const dear = books.account(0)
  books.stores.usage.insert({
    ...endedRecord,
    ...{ requestId: 'req_dear', accountId: dear.accountId, keyId: dear.keyId, endpoint: 'speech', model: 'a/voice' },
    ...{ used: { ...nothingConsumed, audioMs: 7 }, pricing: { unit: '1M_tokens' }, isMetered: true, finish: 'stop' },
    ...{ costNanoUsd: 9_999, chargedNanoUsd: 9_999 },
  })
  expect(firsts('cost')).toEqual([
    [dear.accountId, 1, 9_999],
    ['', 4, 1_111],
  ])
  expect(firsts('audio')[0]).toEqual([dear.accountId, 1, 9_999])
  // The measure also orders the rows: the others together have fewer requests.
  expect(firsts('requests')).toEqual([
    [ada.accountId, 3, 1_011],
    ['', 2, 10_099],
  ])
  expect(firsts('tokens')[0]).toEqual([ada.accountId, 3, 1_011])
  expect(brief(books.stores.sumUsage({ by: ['account'], measure: 'tokens' })).map(([id]) => id)).toEqual([
    ...[ada.accountId, bob.accountId, dear.accountId],
  ])
})

test('a report may be of one model or one key', () => {
  const { books, ada, bob } = filled()
  using _ = books
  const { sumUsage } = books.stores
  expect(brief(sumUsage({ by: ['model'], model: 'a/small' }))).toEqual([['a/small', 3, 1_101]])
  expect(brief(sumUsage({ by: ['model'], keyId: ada.keyId, fromMs: noon }))).toEqual([
    ['a/small', 2, 1_001],
    ['a/large', 1, 10],
  ])
  // A report of one account does not name the owner of a key.
  expect(sumUsage({ by: ['key'], accountId: ada.accountId }).rows[0]?.groups).toEqual([
    { by: 'key', id: ada.keyId, label: 'test' },
  ])
  expect(sumUsage({ by: ['day'], keyId: ada.keyId, accountId: bob.accountId }).rows).toEqual([])
  // The same holds if hours are read from single requests.
  expect(brief(sumUsage({ by: ['key'], model: 'a/small', fromMs: noon, toMs: noon + 1 }))).toEqual([[ada.keyId, 1, 1]])
})

test('a report is of one account and a time, its end left out', () => {
  const { books, ada } = filled()
  using _ = books
  const { sumUsage } = books.stores
  expect(brief(sumUsage({ by: ['model'], accountId: ada.accountId }))).toEqual([
    ['a/small', 2, 1_001],
    ['a/large', 1, 10],
  ])
  expect(brief(sumUsage({ by: ['day'], fromMs: noon + dayMs, toMs: noon + 2 * dayMs }))).toEqual([
    ['2026-11-21', 1, 100],
  ])
  expect(sumUsage({ by: ['day'], accountId: 'acc_x' })).toMatchObject({ rows: [], total: { requests: 0 } })
})

test('a day begins at midnight UTC, to the millisecond', () => {
  const { books, use } = filled()
  using _ = books
  const midnight = Date.UTC(2027, 0, 1)
  use(midnight - 1)
  use(midnight)
  const query = { by: ['day'], fromMs: midnight - 1 } as const
  expect(brief(books.stores.sumUsage(query))).toEqual([
    ['2026-12-31', 1, 5],
    ['2027-01-01', 1, 5],
  ])
  expect(brief(books.stores.sumUsage({ ...query, toMs: midnight }))).toEqual([['2026-12-31', 1, 5]])
})

test('whole days and parts of days add up to the same as the requests one by one', () => {
  const { books, use } = filled()
  using _ = books
  const start = Date.UTC(2027, 5, 1)
  const times = Array.from({ length: 60 }, (_, index) => start + index * 3.7 * 60 * 60 * 1000)
  const isEstimated = (timeMs: number) => timeMs % 3 < 1
  for (const timeMs of times) use(timeMs, isEstimated(timeMs))
  const hour = 60 * 60 * 1000
  const edges = [0, 1, 11 * hour, 24 * hour - 1, 24 * hour, 24 * hour + 1, 40 * hour, 72 * hour, 200 * hour]
  for (const from of edges) {
    for (const to of edges) {
      const [fromMs, toMs] = [start + from, start + to]
      const within = times.filter((timeMs) => Math.round(timeMs) >= fromMs && Math.round(timeMs) < toMs)
      const [expected, estimated] = [within.length, within.filter(isEstimated).length]
      for (const by of [['day'], ['model', 'day']] as const) {
        const { rows, total } = books.stores.sumUsage({ by, fromMs, toMs })
        expect({ from, to, requests: total.requests }).toEqual({ from, to, requests: expected })
        expect([total.estimatedRequests, total.estimatedCostNanoUsd]).toEqual([estimated, estimated * 5])
        expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(expected)
      }
    }
  }
  const after = books.stores.sumUsage({ by: ['day'], fromMs: start + 30 * hour })
  expect(after.total.requests).toBe(times.filter((timeMs) => timeMs >= start + 30 * hour).length)
})
