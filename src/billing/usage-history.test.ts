import { expect, test } from 'bun:test'
import { hourMs } from '../core/durations.ts'
import type { PaidRequestRecord } from '../core/request-record.ts'
import { nothingConsumed } from '../core/usage.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { UsageHistory } from './usage-history.ts'
import { UsageStore } from './usage-store.ts'

const nowMs = 1_000 * hourMs

/** Makes books with these requests, each of which ended in the given hour, counted from now. */
function history(requests: readonly (Partial<PaidRequestRecord> & { readonly hoursAgo: number })[]) {
  const books = openTestAccounts()
  const { accountId, keyId } = books.account(0)
  const clock = { nowMs }
  const options = { database: books.database, newId: () => '', clock: () => clock.nowMs }
  const usage = new UsageStore(options)
  requests.forEach(({ hoursAgo, ...parts }, index) => {
    clock.nowMs = nowMs - hoursAgo * hourMs
    usage.insert({
      ...endedRecord,
      ...{ requestId: `req_${index}`, accountId, keyId, endpoint: 'chat/completions', model: 'a/b' },
      ...{ used: nothingConsumed, pricing: { unit: '1M_tokens' }, costNanoUsd: 0, chargedNanoUsd: 0 },
      ...{ isMetered: true, finish: 'stop' },
      ...parts,
    })
  })
  return { store: new UsageHistory(options), usage, [Symbol.dispose]: () => books[Symbol.dispose]() }
}

const used = { ...nothingConsumed, promptTokens: 7_200, cachedTokens: 3_600, completionTokens: 1_800 }

test('an hour tells tokens a second, requests side by side and faults a minute', () => {
  using books = history([
    { hoursAgo: 1, used, runningMs: hourMs, queuedMs: hourMs / 2 },
    { hoursAgo: 1, used, runningMs: hourMs, loadingMs: hourMs / 2, finish: 'failed' },
    { hoursAgo: 1, used, model: 'c/d' },
    { hoursAgo: 800, used },
  ])
  const { rows, fromMs, stepMs } = books.store.read('rates', nowMs)
  expect([rows.length, stepMs, fromMs]).toEqual([720, hourMs, nowMs - 719 * hourMs])
  expect(rows.at(-2)).toEqual([1.5, 3, 2, 1, 1 / 60])
  expect(rows.filter((row) => row !== null)).toHaveLength(1)
  expect(books.store.read('engine', nowMs, 'c/d').rows.at(-2)).toEqual([0.5, 1, 0, 0])
})

test('the latest requests to a model tell their tokens, the oldest first', () => {
  const tokens = (promptTokens: number, completionTokens: number) => ({
    used: { ...nothingConsumed, promptTokens, completionTokens },
  })
  using books = history([
    { hoursAgo: 4, ...tokens(1, 1) },
    { hoursAgo: 1, ...tokens(400, 60) },
    { hoursAgo: 3, ...tokens(300, 5) },
    { hoursAgo: 2, ...tokens(9, 9), model: 'c/d' },
  ])
  expect(books.usage.latestTokens('a/b', 2)).toEqual([305, 460])
  expect(books.usage.latestTokens('a/b', 9)).toEqual([2, 305, 460])
  expect(books.usage.latestTokens('e/f', 9)).toEqual([])
})

test('an hour tells the usual and the slow times to the first output', () => {
  using books = history(Array.from({ length: 100 }, (_, index) => ({ hoursAgo: 2, firstOutputMs: index + 1 })))
  expect(books.store.read('latency', nowMs).rows.at(-3)).toEqual([50, 95, 100])
})

test('what was read is told again for a minute', () => {
  using books = history([])
  const before = books.store.read('rates', nowMs)
  expect(books.store.read('rates', nowMs + 59_000)).toBe(before)
  expect(books.store.read('rates', nowMs + 60_000)).not.toBe(before)
})
