import { expect, test } from 'bun:test'
import { dayMs } from '../core/durations.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'

const november = { fromMs: Date.UTC(2026, 10), toMs: Date.UTC(2026, 11) }

/** Makes an account whose money moves at set times. */
function books() {
  const clock = { nowMs: Date.UTC(2026, 11, 3, 12) }
  const opened = openTestAccounts(':memory:', () => clock.nowMs)
  const { accountId, keyId } = opened.account(0)
  let requests = 0
  const move = (timeMs: number, amountNanoUsd: number) => {
    const nowMs = clock.nowMs
    clock.nowMs = timeMs
    const requestId = amountNanoUsd < 0 ? `req_${++requests}` : undefined
    const kind = amountNanoUsd < 0 ? 'usage' : 'credit'
    opened.stores.ledger.append({ accountId, kind, amountNanoUsd, actor: 'system', requestId })
    clock.nowMs = nowMs
  }
  return { opened, accountId, keyId, clock, move, statements: opened.stores.statements }
}

test('a month has the first and the last millisecond that are its own', () => {
  const { opened, accountId, move, statements } = books()
  using _ = opened
  move(november.fromMs - 1, 1_000)
  move(november.fromMs, 20)
  move(november.toMs - 1, -7)
  move(november.toMs, -300)
  expect(statements.sums({ accountId, ...november })).toEqual({
    openingNanoUsd: 1_000,
    addedNanoUsd: 20,
    spentNanoUsd: 7,
    closingNanoUsd: 1_013,
  })
  expect(statements.lines({ accountId, ...november }, {}).map(({ amountNanoUsd }) => amountNanoUsd)).toEqual([-7, 20])
  const october = { accountId, fromMs: Date.UTC(2026, 9), toMs: november.fromMs }
  expect(statements.sums(october)).toMatchObject({ openingNanoUsd: 0, closingNanoUsd: 1_000 })
})

test('months follow from one another, to the last nano-USD', () => {
  const { opened, accountId, move, statements } = books()
  using _ = opened
  const start = Date.UTC(2026, 0)
  move(start, 9_000_000_000_000)
  for (let step = 1; step < 300; step++) move(start + step * 1.1 * dayMs, step % 7 === 0 ? 3 * step : -step)
  let closing = 0
  for (let month = 0; month < 12; month++) {
    const sums = statements.sums({ accountId, fromMs: Date.UTC(2026, month), toMs: Date.UTC(2026, month + 1) })
    expect(sums.openingNanoUsd).toBe(closing)
    expect(sums.openingNanoUsd + sums.addedNanoUsd - sums.spentNanoUsd).toBe(sums.closingNanoUsd)
    closing = sums.closingNanoUsd
  }
  expect(closing).toBe(opened.money(accountId).balance)
})

test('a clock that was set back changes no sum', () => {
  const { opened, accountId, move, statements } = books()
  using _ = opened
  move(november.toMs + 1, 100)
  move(november.fromMs + 1, 50)
  move(november.toMs + 2, -1)
  const sums = statements.sums({ accountId, ...november })
  expect(sums).toEqual({ openingNanoUsd: 0, addedNanoUsd: 50, spentNanoUsd: 0, closingNanoUsd: 50 })
})

test('lines are read page by page, equal times as they were written', () => {
  const { opened, accountId, move, statements } = books()
  using _ = opened
  for (let amount = 1; amount <= 5; amount++) move(november.fromMs + 5, amount)
  const period = { accountId, ...november }
  const first = statements.lines(period, { limit: 2 })
  const second = statements.lines(period, { limit: 2, before: String(first.at(-1)?.id) })
  const third = statements.lines(period, { limit: 2, before: String(second.at(-1)?.id) })
  const amounts = [...first, ...second, ...third].map(({ amountNanoUsd }) => amountNanoUsd)
  expect(amounts).toEqual([5, 4, 3, 2, 1])
})

test('a line of usage says the model and the key', () => {
  const { opened, accountId, keyId, statements } = books()
  using _ = opened
  const { ledger, usage } = opened.stores
  ledger.append({ accountId, kind: 'credit', amountNanoUsd: 10, actor: 'system', memo: 'hello' })
  usage.insert({
    ...endedRecord,
    ...{ requestId: 'req_1', accountId, keyId, endpoint: 'chat/completions', model: 'a/b', finish: 'stop' },
    ...{ pricing: { unit: '1M_tokens' }, costNanoUsd: 3, chargedNanoUsd: 3, isMetered: true },
    used: {
      promptTokens: 1,
      cachedTokens: 0,
      completionTokens: 1,
      reasoningTokens: 0,
      characters: 0,
      audioMs: 0,
      images: 0,
    },
  })
  ledger.append({ accountId, kind: 'usage', amountNanoUsd: -3, actor: 'system', requestId: 'req_1' })
  const december = { accountId, fromMs: november.toMs, toMs: Date.UTC(2027, 0) }
  expect(statements.lines(december, {})).toMatchObject([
    { kind: 'usage', requestId: 'req_1', model: 'a/b', keyName: 'test', balanceAfterNanoUsd: 7 },
    { kind: 'credit', requestId: undefined, model: undefined, keyName: undefined, memo: 'hello' },
  ])
})

test('the balance of a day is that at its end, and of today that of now', () => {
  const { opened, accountId, move, statements } = books()
  using _ = opened
  move(Date.UTC(2026, 10, 30), 5)
  move(Date.UTC(2026, 11, 1) - 1, 10)
  move(Date.UTC(2026, 11, 1), -2)
  move(Date.UTC(2026, 11, 3, 11), 100)
  expect(statements.days(accountId, 5)).toEqual([
    { day: '2026-11-29', balanceNanoUsd: 0, addedNanoUsd: 0 },
    { day: '2026-11-30', balanceNanoUsd: 15, addedNanoUsd: 15 },
    { day: '2026-12-01', balanceNanoUsd: 13, addedNanoUsd: 0 },
    { day: '2026-12-02', balanceNanoUsd: 13, addedNanoUsd: 0 },
    { day: '2026-12-03', balanceNanoUsd: 113, addedNanoUsd: 100 },
  ])
  // The first listed day starts from the earlier balance.
  expect(statements.days(accountId, 3)[0]).toEqual({ day: '2026-12-01', balanceNanoUsd: 13, addedNanoUsd: 0 })
})

test('a row from a clock that was ahead counts today', () => {
  const { opened, accountId, move, statements } = books()
  using _ = opened
  move(Date.UTC(2026, 11, 9), 4)
  expect(statements.days(accountId, 2)).toEqual([
    { day: '2026-12-02', balanceNanoUsd: 0, addedNanoUsd: 0 },
    { day: '2026-12-03', balanceNanoUsd: 4, addedNanoUsd: 4 },
  ])
})
