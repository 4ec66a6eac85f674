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
    expect((await browser.send(`requests/${requestId}`)).json).toMatchObject({
      estimated: isEstimated,
      prompt_tokens: 3,
    })
  }
  const { json } = await browser.send('usage?by=day')
  expect(json).toMatchObject({
    data: [{ requests: 2, cost_usd: '0.00000006', estimated_requests: 1, estimated_cost_usd: '0.00000003' }],
    total: { estimated_requests: 1, estimated_cost_usd: '0.00000003' },
  })
})

const idsOf = ({ json }: { json: { data: { request_id: string }[] } }) => json.data.map((row) => row.request_id)

test('a receipt has the prices, what was held and charged, the times, and the balance afterwards', async () => {
  const { browser, key, keyId } = member(1_000_000)
  const answer = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'test/paid', max_tokens: 10, messages: [{ role: 'user', content: 'one two' }] }),
  })
  const id = answer.headers.get('x-request-id')
  const receipt = (await browser.send(`requests/${id}`)).json
  expect(receipt).toEqual({
    object: 'receipt',
    request_id: id,
    created: '2027-01-15T08:00:00.000Z',
    endpoint: 'chat/completions',
    model: 'test/paid',
    key_id: keyId,
    key_name: 'test',
    status: 'completed',
    finish: 'stop',
    prompt_tokens: 5,
    cached_tokens: 0,
    completion_tokens: 2,
    reasoning_tokens: 0,
    characters: 0,
    audio_seconds: 0,
    cost_usd: '0.00000011',
    charged_usd: '0.00000011',
    queued_ms: null,
    loading_ms: 0,
    first_output_ms: 0,
    running_ms: 0,
    estimated: false,
    prices: { unit: '1M_tokens', input_usd: '0.01', cached_input_usd: null, output_usd: '0.03', price_usd: null },
    held_usd: '0.00000035',
    balance_after_usd: '0.00099989',
  })
  const { prices: _, held_usd, balance_after_usd, object, ...row } = receipt
  expect((await browser.send('requests')).json).toEqual({ object: 'list', data: [row], has_more: false })
})

test('requests are listed of a time, its end left out', async () => {
  const { browser, accountId, keyId } = member(0)
  const start = clock.nowMs
  const ids = [0, 1, 2].map((day) => {
    clock.nowMs = Date.UTC(2027, 1, 1 + day)
    return record({ accountId, keyId }, 'a/b', 'stop')
  })
  clock.nowMs = start
  expect(idsOf(await browser.send('requests?from=2027-02-02'))).toEqual([ids[2] ?? '', ids[1] ?? ''])
  expect(idsOf(await browser.send('requests?from=2027-02-01&to=2027-02-02'))).toEqual([ids[0] ?? ''])
  expect(idsOf(await browser.send(`requests?from=2027-02-01&before=${ids[2]}&limit=1`))).toEqual([ids[1] ?? ''])
  expect((await browser.send('requests?to=tomorrow')).status).toBe(400)
})

test('requests are listed by model, by key, and those that failed', async () => {
  const { browser, accountId, keyId } = member(0)
  const other = { accountId, keyId: server.stores.keys.create({ accountId, name: 'other' }).id }
  const own = { accountId, keyId }
  const ids = [
    record(own, 'a/b', 'stop'),
    record(own, 'c/d', 'failed'),
    record(other, 'a/b', 'failed'),
    record(other, 'c/d', 'client_disconnect'),
  ]
  const [first = '', second = '', third = '', fourth = ''] = ids
  expect(idsOf(await browser.send('requests'))).toEqual([fourth, third, second, first])
  expect(idsOf(await browser.send('requests?model=a/b'))).toEqual([third, first])
  expect(idsOf(await browser.send(`requests?key=${keyId}`))).toEqual([second, first])
  expect(idsOf(await browser.send('requests?failed=true'))).toEqual([third, second])
  expect(idsOf(await browser.send('requests?failed=false'))).toEqual([fourth, first])
  expect(idsOf(await browser.send(`requests?model=a/b&key=${other.keyId}&failed=true`))).toEqual([third])
  const statuses = (await browser.send('requests')).json.data.map(({ status }: { status: string }) => status)
  expect(statuses).toEqual(['cancelled', 'failed', 'failed', 'completed'])
})

test('pages of requests neither lose nor repeat one, and say whether others follow', async () => {
  const who = member(0)
  const ids = Array.from({ length: 5 }, () => record(who, 'a/b', 'stop')).reverse()
  const first = await who.browser.send('requests?limit=2')
  const second = await who.browser.send(`requests?limit=2&before=${ids[1]}`)
  const third = await who.browser.send(`requests?limit=2&before=${ids[3]}`)
  expect([first, second, third].flatMap(idsOf)).toEqual(ids)
  expect([first, second, third].map(({ json }) => json.has_more)).toEqual([true, true, false])
})

test('a request of nobody, of another account, or that was refused has no receipt', async () => {
  const [ada, bob] = [member(0), member(0)]
  const answers = [
    await ada.browser.send(`requests/${record(bob, 'a/b', 'stop')}`),
    await ada.browser.send('requests/req_none'),
  ]
  for (const { status, json } of answers) {
    expect({ status, code: json.error.code }).toEqual({ status: 404, code: 'request_not_found' })
  }
})

test.each(['limit=0', 'limit=101', 'limit=x', 'before=req_none', 'failed=yes', `model=${'x'.repeat(201)}`])(
  '%s is refused',
  async (query) => {
    expect((await member(0).browser.send(`requests?${query}`)).status).toBe(400)
  },
)
