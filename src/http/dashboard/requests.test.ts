import { afterAll, expect, test } from 'bun:test'
import { nothingConsumed } from '../../core/usage.ts'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { endedRecord } from '../../testing/ended-record.ts'
import { startTestServer } from '../../testing/test-server.ts'

const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const
const clock = { nowMs: 1_800_000_000_000 }
const server = startTestServer({ clock: () => clock.nowMs, models: { 'test/paid': { manifest: { pricing } } } })
afterAll(() => server[Symbol.asyncDispose]())

function member(balanceNanoUsd: number) {
  const payer = server.payer(balanceNanoUsd)
  return { ...payer, browser: DashboardClient.signedIn(server, payer.accountId) }
}

let requests = 0

function record(
  who: { accountId: string; keyId: string },
  model: string,
  finish: 'stop' | 'failed' | 'client_disconnect',
) {
  const requestId = `req_${++requests}`
  server.stores.usage.insert({
    ...endedRecord,
    ...{ requestId, accountId: who.accountId, keyId: who.keyId, endpoint: 'chat/completions', model, finish },
    ...{ used: nothingConsumed, pricing, costNanoUsd: 0, chargedNanoUsd: 0, isMetered: true },
  })
  return requestId
}

test('what was estimated is said of a request, and summed up in reports', async () => {
  const { browser, ...who } = member(0)
  const used = { ...nothingConsumed, promptTokens: 3 }
  const counted = { ...who, endpoint: 'chat/completions', model: 'test/paid', finish: 'stop' } as const
  const cost = { pricing, costNanoUsd: 30, chargedNanoUsd: 0, isMetered: true }
  const { accountId, keyId } = counted
  for (const isEstimated of [true, false]) {
    const requestId = `req_of_${isEstimated}`
    const { endpoint, model, finish } = counted
    const entry = { requestId, accountId, keyId, endpoint, model, finish, used, ...cost }
    server.stores.usage.insert({ ...endedRecord, ...entry, isEstimated })
    expect((await browser.perform('usage-receipt', { request: requestId })).result).toMatchObject({
      isEstimated,
      used: { promptTokens: 3 },
    })
  }
  const { result } = await browser.perform('usage-report', { by: ['day'] })
  expect(result).toMatchObject({
    rows: [{ requests: 2, costUsd: '0.00000006', estimatedRequests: 1, estimatedCostUsd: '0.00000003' }],
    total: { estimatedRequests: 1, estimatedCostUsd: '0.00000003' },
  })
})

const idsOf = ({ result }: { result: { requestId: string }[] }) => result.map(({ requestId }) => requestId)

test('a receipt has the prices, what was held and charged, the times, and the balance afterwards', async () => {
  const { browser, key, keyId } = member(1_000_000)
  const answer = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'test/paid', max_tokens: 10, messages: [{ role: 'user', content: 'one two' }] }),
  })
  const id = answer.headers.get('x-request-id')
  const receipt = (await browser.perform('usage-receipt', { request: id })).result
  expect(receipt).toEqual({
    requestId: id,
    createdMs: Date.parse('2027-01-15T08:00:00.000Z'),
    endpoint: 'chat/completions',
    model: 'test/paid',
    keyId,
    keyName: 'test',
    finish: 'stop',
    used: {
      promptTokens: 5,
      cachedTokens: 0,
      completionTokens: 2,
      reasoningTokens: 0,
      characters: 0,
      audioMs: 0,
      images: 0,
      searches: null,
    },
    costUsd: '0.00000011',
    chargedUsd: '0.00000011',
    queuedMs: null,
    loadingMs: 0,
    firstOutputMs: 0,
    runningMs: 0,
    isEstimated: false,
    pricing: {
      unit: '1M_tokens',
      inputUsd: '0.01',
      cachedInputUsd: null,
      outputUsd: '0.03',
      priceUsd: null,
      searchUsd: null,
    },
    heldUsd: '0.00000035',
    balanceAfterUsd: '0.00099989',
  })
  const { pricing: _, heldUsd, balanceAfterUsd, ...row } = receipt
  expect((await browser.perform('usage-list')).result).toEqual([row])
})

test('requests are listed of a time, its end left out', async () => {
  const { browser, accountId, keyId } = member(0)
  const start = clock.nowMs
  const day = (number: number) => Date.UTC(2027, 1, number)
  const listed = (input: object) => browser.perform('usage-list', input)
  const ids = [1, 2, 3].map((number) => {
    clock.nowMs = day(number)
    return record({ accountId, keyId }, 'a/b', 'stop')
  })
  clock.nowMs = start
  expect(idsOf(await listed({ fromMs: day(2) }))).toEqual([ids[2] ?? '', ids[1] ?? ''])
  expect(idsOf(await listed({ fromMs: day(1), toMs: day(2) }))).toEqual([ids[0] ?? ''])
  expect(idsOf(await listed({ fromMs: day(1), before: ids[2], limit: 1 }))).toEqual([ids[1] ?? ''])
  expect((await listed({ toMs: 'tomorrow' })).status).toBe(400)
})

test('requests are listed by model, by key, and those that failed', async () => {
  const { browser, accountId, keyId } = member(0)
  const other = { accountId, keyId: server.stores.keys.create({ accountId, name: 'other' }).id }
  const own = { accountId, keyId }
  const listed = (input: object) => browser.perform('usage-list', input)
  const ids = [
    record(own, 'a/b', 'stop'),
    record(own, 'c/d', 'failed'),
    record(other, 'a/b', 'failed'),
    record(other, 'c/d', 'client_disconnect'),
  ]
  const [first = '', second = '', third = '', fourth = ''] = ids
  expect(idsOf(await listed({}))).toEqual([fourth, third, second, first])
  expect(idsOf(await listed({ model: 'a/b' }))).toEqual([third, first])
  expect(idsOf(await listed({ key: keyId }))).toEqual([second, first])
  expect(idsOf(await listed({ hasFailed: true }))).toEqual([third, second])
  expect(idsOf(await listed({ hasFailed: false }))).toEqual([fourth, first])
  expect(idsOf(await listed({ model: 'a/b', key: other.keyId, hasFailed: true }))).toEqual([third])
  const finishes = (await listed({})).result.map(({ finish }: { finish: string }) => finish)
  expect(finishes).toEqual(['client_disconnect', 'failed', 'failed', 'stop'])
})

test('pages of requests neither lose nor repeat one', async () => {
  const who = member(0)
  const ids = Array.from({ length: 5 }, () => record(who, 'a/b', 'stop')).reverse()
  const first = await who.browser.perform('usage-list', { limit: 2 })
  const second = await who.browser.perform('usage-list', { limit: 2, before: ids[1] })
  const third = await who.browser.perform('usage-list', { limit: 2, before: ids[3] })
  expect([first, second, third].flatMap(idsOf)).toEqual(ids)
  expect([first, second, third].map(({ result }) => result.length)).toEqual([2, 2, 1])
})

test('a request of nobody, of another account, or that was refused has no receipt', async () => {
  const [ada, bob] = [member(0), member(0)]
  const answers = [
    await ada.browser.perform('usage-receipt', { request: record(bob, 'a/b', 'stop') }),
    await ada.browser.perform('usage-receipt', { request: 'req_none' }),
  ]
  for (const { status, json } of answers) {
    expect({ status, code: json.error.code }).toEqual({ status: 404, code: 'request_not_found' })
  }
})

test.each([
  { limit: 0 },
  { limit: 101 },
  { limit: 'x' },
  { before: 'req_none' },
  { hasFailed: 'yes' },
  { model: 'x'.repeat(201) },
])('%p is refused', async (input) => {
  expect((await member(0).browser.perform('usage-list', input)).status).toBe(400)
})
