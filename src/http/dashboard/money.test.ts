/** What an account is shown of its money: sums that add up, at the edges of days and months, to the last nano-USD. */
import { afterAll, expect, test } from 'bun:test'
import { decimalToNano } from '../../core/money.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { endedRecord } from '../../testing/ended-record.ts'
import { startTestServer } from '../../testing/test-server.ts'

const dayMs = 24 * 60 * 60 * 1000
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

/** A payer who has spent in three months, and their browser. */
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

const nanoOf = (rows: readonly Row[], field: string) =>
  rows.reduce((sum, row) => sum + (decimalToNano(String(row[field])) ?? Number.NaN), 0)

/** Lines of CSV without quotes in them, by the names of their columns. */
function readCsv(text: string): Row[] {
  const [head = '', ...lines] = text.trimEnd().split('\r\n')
  const columns = head.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])))
}

test.each(['day', 'model', 'key', 'day,model', 'model,key', 'key,day'])(
  'usage by %s: rows add up to the total',
  async (by) => {
    const { browser } = spender()
    const { json } = await browser.send(`usage?by=${by}`)
    expect(json.by).toEqual(by.split(','))
    expect(json.total).toMatchObject({ requests: 5, prompt_tokens: 35, audio_seconds: 7.5, cost_usd: '0.123457568' })
    expect(nanoOf(json.data, 'cost_usd')).toBe(decimalToNano(json.total.cost_usd) ?? 0)
    expect(nanoOf(json.data, 'charged_usd')).toBe(123_457_568)
  },
)

test('usage by day and model has a row for each pair, with no amount rounded away', async () => {
  const { browser } = spender()
  const { json } = await browser.send('usage?by=day,model&from=2026-11-01')
  expect(json.data).toMatchObject([
    { day: '2026-11-01', model: 'a/small', cost_usd: '0.000000777' },
    { day: '2026-11-20', model: 'a/large', cost_usd: '0.123456789' },
    { day: '2026-11-20', model: 'a/small', cost_usd: '0.000000001' },
    { day: '2026-11-21', model: 'a/free', cost_usd: '0' },
  ])
})

test('usage is asked for of one model or key, and ordered by the measure', async () => {
  const { browser, keyId } = spender()
  const { json } = await browser.send('usage?by=model&model=a/small')
  expect(json.data).toMatchObject([{ model: 'a/small', requests: 3, cost_usd: '0.000000779' }])
  expect(json.total).toMatchObject({ requests: 3 })
  expect((await browser.send(`usage?by=model&key=${keyId}`)).json.data).toHaveLength(3)
  expect((await browser.send('usage?by=model&key=key_x')).json.data).toEqual([])
  const firstBy = async (measure: string) =>
    (await browser.send(`usage?by=model&measure=${measure}`)).json.data[0].model
  expect([await firstBy('cost'), await firstBy('requests')]).toEqual(['a/large', 'a/small'])
})

test('of many models those of the highest cost have rows, and the others share one', async () => {
  const { browser } = spender()
  const { json } = await browser.send('usage?by=model&limit=1')
  expect(json.data).toMatchObject([
    { model: 'a/large', cost_usd: '0.123456789' },
    { model: '', requests: 4, cost_usd: '0.000000779' },
  ])
  expect(json.total.cost_usd).toBe('0.123457568')
  expect((await browser.send('usage?by=model&limit=101')).status).toBe(400)
})

test('a month of the ledger has its balances before and after, and its lines explain the difference', async () => {
  const { browser } = spender()
  const { json } = await browser.send('ledger?month=2026-11&limit=2')
  expect(json).toMatchObject({
    object: 'list',
    month: '2026-11',
    opening_usd: '19.999999999',
    added_usd: '0',
    spent_usd: '0.123457567',
    closing_usd: '19.876542432',
    has_more: true,
  })
  const next = await browser.send(`ledger?month=2026-11&limit=2&before=${json.data[1].id}`)
  expect(next.json.has_more).toBe(false)
  const lines = [...json.data, ...next.json.data]
  expect(lines.map(({ amount_usd }) => amount_usd)).toEqual(['-0.000000001', '-0.123456789', '-0.000000777'])
  expect(lines[0]).toMatchObject({
    kind: 'usage',
    model: 'a/small',
    key_name: 'test',
    created: '2026-11-20T11:00:00.000Z',
  })
  const october = await browser.send('ledger?month=2026-10')
  expect(october.json).toMatchObject({ opening_usd: '20', spent_usd: '0.000000001', closing_usd: '19.999999999' })
})

test('a month as CSV is whole, between its closing and its opening balance', async () => {
  const { browser, accountId } = spender()
  for (let row = 0; row < 1_500; row++) {
    server.stores.ledger.append({ accountId, kind: 'credit', amountNanoUsd: 1, actor: 'system', memo: '=1+1' })
  }
  const csv = await browser.send('ledger?month=2026-11&format=csv')
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

test.each(['2026-13', '2026-00', '2026-1', '26-11', '2026-11-01', 'now', '2026-11&format=xml', '2026-11&before=x'])(
  'the month %p is refused',
  async (month) => {
    const { browser } = spender()
    expect((await browser.send(`ledger?month=${month}`)).status).toBe(400)
  },
)

test('the ledger is no CSV without a month', async () => {
  const { status, json } = await spender().browser.send('ledger?format=csv')
  expect({ status, ...json.error }).toMatchObject({ status: 400, param: 'month' })
})

test('the balance of 90 days ends with that of now', async () => {
  const { browser } = spender()
  const { data } = (await browser.send('balance-days')).json
  expect(data).toHaveLength(90)
  expect(data[0]).toMatchObject({ day: '2026-08-25', balance_usd: '0' })
  expect(data.find(({ day }: Row) => day === '2026-09-01')).toMatchObject({ balance_usd: '20', added_usd: '20' })
  expect(data.find(({ day }: Row) => day === '2026-10-31')).toMatchObject({ balance_usd: '19.999999999' })
  expect(data.at(-1)).toEqual({ day: '2026-11-22', balance_usd: '19.876542432', added_usd: '0' })
})

test('how long the money lasts is reckoned from the last seven days', async () => {
  const payer = server.payer(1_000_000_000)
  const browser = DashboardClient.signedIn(server, payer.accountId)
  expect((await browser.send('me')).json).toMatchObject({ days_left: null, spent_7d_usd: '0', running_requests: 0 })
  spend(payer, 100_000_000, 'a/small', now - 7 * dayMs - 1)
  expect((await browser.send('me')).json).toMatchObject({ days_left: null, spent_7d_usd: '0' })
  spend(payer, 100_000_000, 'a/small', now - 7 * dayMs)
  await server.stores.holds.hold({ ...payer, requestId: 'req_held', amountNanoUsd: 100_000_000 })
  // $0.70 are left at $0.1 a week.
  expect((await browser.send('me')).json).toMatchObject({
    ...{ spent_7d_usd: '0.1', days_left: 49, running_requests: 1, held_usd: '0.1', available_usd: '0.7' },
  })
  server.stores.accounts.setUnmetered(payer.accountId, true)
  expect((await browser.send('me')).json.days_left).toBeNull()
})
