/** Money on the pages of an account: sums add up at the edges of days and months, to the last nano-USD. */
import { afterAll, expect, test } from 'bun:test'
import { dayMs } from '../../core/durations.ts'
import { decimalToNano } from '../../core/money.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { endedRecord } from '../../testing/ended-record.ts'
import { startTestServer } from '../../testing/test-server.ts'

const now = Date.UTC(2026, 10, 22, 12)
const clock = { nowMs: now }
const server = startTestServer({ clock: () => clock.nowMs })
afterAll(() => server[Symbol.asyncDispose]())

let requests = 0

function spend(payer: { accountId: string; keyId: string }, costNanoUsd: number, model: string, timeMs: number) {
  clock.nowMs = timeMs
  const { accountId, keyId } = payer
  const requestId = `req_${++requests}`
  server.stores.usage.insert({
    ...endedRecord,
    ...{ requestId, accountId, keyId, endpoint: 'chat/completions', model, finish: 'stop', isMetered: true },
    used: { ...nothingConsumed, promptTokens: 7, completionTokens: 3, audioMs: 1_500 },
    ...{ pricing: { unit: '1M_tokens' }, costNanoUsd, chargedNanoUsd: costNanoUsd },
  })
  const entry = { accountId, kind: 'usage', amountNanoUsd: -costNanoUsd, actor: 'system', requestId } as const
  if (costNanoUsd > 0) server.stores.ledger.append(entry)
  clock.nowMs = now
}

/** Makes a payer who has spent money in three months, and their browser. */
function spender() {
  clock.nowMs = Date.UTC(2026, 8, 1)
  const payer = server.payer(20_000_000_000)
  spend(payer, 1, 'a/small', Date.UTC(2026, 9, 31, 23, 59, 59, 999))
  spend(payer, 777, 'a/small', Date.UTC(2026, 10, 1))
  spend(payer, 123_456_789, 'a/large', Date.UTC(2026, 10, 20, 10))
  spend(payer, 1, 'a/small', Date.UTC(2026, 10, 20, 11))
  spend(payer, 0, 'a/free', Date.UTC(2026, 10, 21, 11))
  return { ...payer, browser: DashboardClient.signedIn(server, payer.accountId) }
}

type Row = Record<string, string | number>

const usage = async (browser: DashboardClient, input: object) => (await browser.perform('usage-report', input)).result

const nanoOf = (rows: readonly Row[], field: string) =>
  rows.reduce((sum, row) => sum + (decimalToNano(String(row[field])) ?? Number.NaN), 0)

/** Returns lines of CSV without quotes as objects by column name. */
function readCsv(text: string): Row[] {
  const [head = '', ...lines] = text.trimEnd().split('\r\n')
  const columns = head.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])))
}

test.each(['day', 'model', 'key', 'day,model', 'model,key', 'key,day'])(
  'usage by %s: rows add up to the total',
  async (by) => {
    const { browser } = spender()
    const { rows, total } = await usage(browser, { by: by.split(',') })
    for (const { groups } of rows) expect(groups.map((group: Row) => group.by)).toEqual(by.split(','))
    expect(total).toMatchObject({ requests: 5, promptTokens: 35, audioMs: 7_500, costUsd: '0.123457568' })
    expect(nanoOf(rows, 'costUsd')).toBe(decimalToNano(total.costUsd) ?? 0)
    expect(nanoOf(rows, 'chargedUsd')).toBe(123_457_568)
  },
)

test('usage by day and model has a row for each pair, with no amount rounded away', async () => {
  const { browser } = spender()
  const { rows } = await usage(browser, { by: ['day', 'model'], fromMs: Date.UTC(2026, 10, 1) })
  const pair = (day: string, model: string) => [
    { by: 'day', id: day },
    { by: 'model', id: model },
  ]
  expect(rows).toMatchObject([
    { groups: pair('2026-11-01', 'a/small'), costUsd: '0.000000777' },
    { groups: pair('2026-11-20', 'a/large'), costUsd: '0.123456789' },
    { groups: pair('2026-11-20', 'a/small'), costUsd: '0.000000001' },
    { groups: pair('2026-11-21', 'a/free'), costUsd: '0' },
  ])
})

test('usage is asked for of one model or key, and ordered by the measure', async () => {
  const { browser, keyId } = spender()
  const byModel = (input: object) => usage(browser, { by: ['model'], ...input })
  const { rows, total } = await byModel({ model: 'a/small' })
  expect(rows).toMatchObject([{ groups: [{ id: 'a/small' }], requests: 3, costUsd: '0.000000779' }])
  expect(total).toMatchObject({ requests: 3 })
  expect((await byModel({ key: keyId })).rows).toHaveLength(3)
  expect((await byModel({ key: 'key_x' })).rows).toEqual([])
  const firstBy = async (measure: string) => (await byModel({ measure })).rows[0].groups[0].id
  expect([await firstBy('cost'), await firstBy('requests')]).toEqual(['a/large', 'a/small'])
})

test('of many models those of the highest cost have rows, and the others share one', async () => {
  const { browser } = spender()
  const { rows, total } = await usage(browser, { by: ['model'], limit: 1 })
  expect(rows).toMatchObject([
    { groups: [{ id: 'a/large' }], costUsd: '0.123456789' },
    { groups: [{ id: '' }], requests: 4, costUsd: '0.000000779' },
  ])
  expect(total.costUsd).toBe('0.123457568')
  expect((await browser.perform('usage-report', { by: ['model'], limit: 101 })).status).toBe(400)
})

test('a month of the ledger has its balances before and after, and its lines explain the difference', async () => {
  const { browser } = spender()
  const span = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) }
  expect((await browser.perform('statement-sum', span)).result).toEqual({
    openingUsd: '19.999999999',
    addedUsd: '0',
    spentUsd: '0.123457567',
    closingUsd: '19.876542432',
  })
  const first = (await browser.perform('statement-list', { ...span, limit: 2 })).result
  expect(first).toHaveLength(2)
  const next = await browser.perform('statement-list', { ...span, limit: 2, before: String(first[1].id) })
  expect(next.result).toHaveLength(1)
  const lines = [...first, ...next.result]
  expect(lines.map(({ amountUsd }) => amountUsd)).toEqual(['-0.000000001', '-0.123456789', '-0.000000777'])
  expect(lines[0]).toMatchObject({
    kind: 'usage',
    model: 'a/small',
    keyName: 'test',
    createdMs: Date.parse('2026-11-20T11:00:00.000Z'),
  })
  const october = await browser.perform('statement-sum', { fromMs: Date.UTC(2026, 9, 1), toMs: span.fromMs })
  expect(october.result).toMatchObject({ openingUsd: '20', spentUsd: '0.000000001', closingUsd: '19.999999999' })
  expect((await browser.perform('statement-list', { ...span, before: 'x' })).status).toBe(400)
})

test('a month as CSV is whole, between its closing and its opening balance', async () => {
  const { browser, accountId } = spender()
  for (let row = 0; row < 1_500; row++) {
    server.stores.ledger.append({ accountId, kind: 'credit', amountNanoUsd: 1, actor: 'system', memo: '=1+1' })
  }
  const csv = await browser.send('ledger?month=2026-11')
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="ledger-2026-11.csv"')
  const rows = readCsv(csv.text)
  const [closing, ...lines] = rows
  const opening = lines.pop()
  expect(closing).toMatchObject({ created: '2026-12-01T00:00:00.000Z', kind: 'closing_balance', amount_usd: '' })
  expect(opening).toMatchObject({ created: '2026-11-01T00:00:00.000Z', kind: 'opening_balance' })
  expect(lines).toHaveLength(1_503)
  expect(lines[0]).toMatchObject({ kind: 'credit', amount_usd: '0.000000001', memo: "'=1+1" })
  expect(lines.at(-1)).toMatchObject({ kind: 'usage', amount_usd: '-0.000000777', model: 'a/small' })
  const opened = decimalToNano(String(opening?.balance_after_usd)) ?? Number.NaN
  expect(opened + nanoOf(lines, 'amount_usd')).toBe(decimalToNano(String(closing?.balance_after_usd)) ?? 0)
})

test.each(['2026-13', '2026-00', '2026-1', '26-11', '2026-11-01', 'now'])('the month %p is refused', async (month) => {
  const { browser } = spender()
  expect((await browser.send(`ledger?month=${month}`)).status).toBe(400)
})

test('the ledger is no CSV without a month', async () => {
  const { status, json } = await spender().browser.send('ledger')
  expect({ status, ...json.error }).toMatchObject({ status: 400, param: 'month' })
})

test('the balance of 90 days ends with that of now', async () => {
  const { browser } = spender()
  const data = (await browser.perform('statement-days')).result
  expect(data).toHaveLength(90)
  expect(data[0]).toMatchObject({ day: '2026-08-25', balanceUsd: '0' })
  expect(data.find(({ day }: Row) => day === '2026-09-01')).toMatchObject({ balanceUsd: '20', addedUsd: '20' })
  expect(data.find(({ day }: Row) => day === '2026-10-31')).toMatchObject({ balanceUsd: '19.999999999' })
  expect(data.at(-1)).toEqual({ day: '2026-11-22', balanceUsd: '19.876542432', addedUsd: '0' })
})

test('how long the money lasts is reckoned from the last seven days', async () => {
  const payer = server.payer(1_000_000_000)
  const browser = DashboardClient.signedIn(server, payer.accountId)
  expect((await browser.perform('accounts-show-own')).result).toMatchObject({
    daysLeft: null,
    spent7DaysUsd: '0',
    runningRequests: 0,
  })
  spend(payer, 100_000_000, 'a/small', now - 7 * dayMs - 1)
  expect((await browser.perform('accounts-show-own')).result).toMatchObject({ daysLeft: null, spent7DaysUsd: '0' })
  spend(payer, 100_000_000, 'a/small', now - 7 * dayMs)
  await server.stores.holds.hold({ ...payer, requestId: 'req_held', amountNanoUsd: 100_000_000 })
  // $0.70 is left, and $0.10 is spent a week.
  expect((await browser.perform('accounts-show-own')).result).toMatchObject({
    ...{ spent7DaysUsd: '0.1', daysLeft: 49, runningRequests: 1 },
    account: { balanceUsd: '0.8', heldUsd: '0.1' },
  })
  server.stores.accounts.setUnmetered(payer.accountId, true)
  expect((await browser.perform('accounts-show-own')).result.daysLeft).toBeNull()
})
