/** Limits over HTTP: real sockets, real SQLite, and an engine child that does what each request's script says. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Limits } from '../billing/limits.ts'
import { endpointNames } from '../core/endpoint-names.ts'
import { type Payer, startTestServer, type TestServer } from '../testing/test-server.ts'
import { dialects } from '../wire/dialects.ts'

/** 10 nano-USD per prompt token, 30 per output token. */
const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const
const model = 'test/paid'
/** Price of an answer of three words, after the five prompt tokens of every script */
const threeWords = 5 * 10 + 3 * 30
const time = { ms: 0 }

let server: TestServer

beforeAll(() => {
  server = startTestServer({
    models: {
      [model]: { manifest: { pricing, aliases: [{ id: 'paid' }] } },
      'test/embedder': { manifest: { type: 'embedding', dimensions: 4 } },
      'test/ranker': { manifest: { type: 'rerank' } },
    },
    config: { holdTokens: 4 },
    parallel: 64,
    hasOllamaDoor: true,
    monotonicMs: () => time.ms,
  })
})

afterAll(() => server[Symbol.asyncDispose]())

const subjects = ['accountId', 'keyId'] as const

async function limited(limits: Limits, by: (typeof subjects)[number] = 'keyId', balance = 1_000_000): Promise<Payer> {
  const payer = server.payer(balance)
  await server.stores.commits.run(() => server.stores.limits.set(payer[by], limits))
  return payer
}

interface Ask {
  readonly [field: string]: unknown
  readonly path?: string
  readonly content?: string
  readonly signal?: AbortSignal
}

function ask({ key }: Payer, { path = '/v1/chat/completions', content, signal, ...fields }: Ask = {}) {
  const chat = { model, max_tokens: 3, messages: [{ role: 'user', content: content ?? 'one two three' }] }
  return fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...chat, ...fields }),
    ...(signal && { signal }),
  })
}

async function statusesOf(payer: Payer, count: number, fields: Ask = {}): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask(payer, fields)))
  const counts: Record<string, number> = {}
  for (const answer of answers) {
    const { error } = (await answer.json()) as Refused
    const name = answer.ok ? 'ok' : `${answer.status} ${error.code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

interface Refused {
  readonly error: { readonly type: string; readonly code: string; readonly message: string }
}

async function errorOf(answer: Response): Promise<Refused['error']> {
  return ((await answer.json()) as Refused).error
}

function headersOf({ headers }: Response, pattern: RegExp): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => pattern.test(name)))
}

const waiting = JSON.stringify({ script: [{ text: 'a' }, { waitForCancel: true }] })

/** Sends a request that runs until it is aborted. Resolves once its answer has begun. */
async function running(payer: Payer) {
  const client = new AbortController()
  const answer = await ask(payer, { content: waiting, stream: true, signal: client.signal })
  const requestId = answer.headers.get('x-request-id')
  return {
    leave: () => client.abort(),
    ended: () => server.line((line) => line.requestId === requestId),
  }
}

test.each(subjects)('of 50 requests at once pass as many as the limits by %s allow', async (by) => {
  const minute = await limited({ requestsPerMinute: 10 }, by)
  expect(await statusesOf(minute, 50)).toEqual({ ok: 10, '429 rate_limit_exceeded': 40 })
  time.ms += 60_000
  expect(await statusesOf(minute, 12)).toEqual({ ok: 10, '429 rate_limit_exceeded': 2 })

  const budget = await limited({ dailyNanoUsd: 10 * threeWords }, by)
  expect(await statusesOf(budget, 50)).toEqual({ ok: 10, '402 budget_exceeded': 40 })
  expect(budget.money()).toEqual({ balance: 1_000_000 - 10 * threeWords, held: 0 })

  const tokens = await limited({ tokensPerMinute: 20 }, by)
  // Each may use 5 + 3: the third begins with 16 used, and ends with 24.
  expect(await statusesOf(tokens, 50)).toEqual({ ok: 3, '429 rate_limit_exceeded': 47 })
  // The four beyond the limit last a fifth of a minute longer.
  time.ms += 72_000
  expect(await statusesOf(tokens, 1)).toEqual({ ok: 1 })
})

test.each(subjects)('two at once by %s, whatever ends them: the client, the engine, an error', async (by) => {
  const payer = await limited({ parallel: 2 }, by)
  const [one, two] = [await running(payer), await running(payer)]
  const refused = await ask(payer)
  expect(refused.status).toBe(429)
  expect(headersOf(refused, /retry/)).toEqual({ 'retry-after': '1', 'retry-after-ms': '1000' })
  expect(await errorOf(refused)).toMatchObject({ type: 'rate_limit_error', code: 'too_many_parallel' })
  one.leave()
  await one.ended()
  for (const fields of [
    {},
    { stream: true },
    { temperature: 'hot' },
    { model: 'nobody/knows' },
    { content: JSON.stringify({ script: [{ error: { kind: 'engine', message: 'no', code: 'engine_failed' } }] }) },
  ]) {
    const answer = await ask(payer, fields)
    await answer.text()
    expect(answer.status).not.toBe(429)
  }
  const last = await ask(payer, { content: JSON.stringify({ script: [{ text: 'a' }, { crash: 'exit' }] }) })
  expect(last.status).toBe(502)
  await two.ended()
  expect(await statusesOf(payer, 2)).toEqual({ ok: 2 })
})

test('200 at once on a budget for 50: exactly 50, also of an unmetered account', async () => {
  for (const isUnmetered of [false, true]) {
    const payer = await limited({ monthlyNanoUsd: 50 * threeWords })
    await server.stores.commits.run(() => server.stores.accounts.setUnmetered(payer.accountId, isUnmetered))
    expect(await statusesOf(payer, 200)).toEqual({ ok: 50, '402 budget_exceeded': 150 })
    expect(server.stores.holds.budgetOf(payer)).toMatchObject({ leftNanoUsd: 0, heldNanoUsd: 0 })
  }
  expect(server.stores.checkIntegrity().problems).toEqual([])
})

test('a running answer ends with length where the budget ends, and its receipt says so', async () => {
  const payer = await limited({ dailyNanoUsd: 5 * 10 + 10 * 30 + 29 })
  const words = Array.from({ length: 50 }, () => ({ text: 'word ' }))
  const answer = await ask(payer, { content: JSON.stringify({ script: words }), max_tokens: undefined })
  expect(await answer.json()).toMatchObject({
    choices: [{ finish_reason: 'length' }],
    usage: { completion_tokens: 10 },
  })
  expect(headersOf(answer, /budget-remaining/)).toEqual({ 'x-budget-remaining-usd': '0.000000029' })
  const requestId = answer.headers.get('x-request-id') ?? ''
  expect(server.stores.usage.find(requestId)?.finish).toBe('out_of_budget')
})

describe('a refusal names the limit, whose it is and what comes next', () => {
  test('by a budget', async () => {
    const payer = await limited({ monthlyNanoUsd: 2_000_000_000, dailyNanoUsd: 100 }, 'accountId')
    const answer = await ask(payer)
    const error = await errorOf(answer)
    expect(error).toMatchObject({ type: 'insufficient_balance', code: 'budget_exceeded' })
    expect(error.message).toMatch(
      /^This request needs up to \$0\.00000014, and the budget of the account acc_\w+, \$0\.0000001 a day, has \$0\.0000001 left\. .*It begins anew at \d{4}-\d\d-\d\dT00:00:00Z\./,
    )
    expect(headersOf(answer, /retry|budget-remaining/)).toEqual({
      'x-should-retry': 'false',
      'x-budget-remaining-usd': '0.0000001',
    })
  })

  test('by a minute', async () => {
    const payer = await limited({ requestsPerMinute: 1 })
    await ask(payer)
    time.ms += 18_500
    const answer = await ask(payer)
    const error = await errorOf(answer)
    expect(error.message).toBe(
      `The API key ${payer.keyId} may send 1 requests a minute, and has. Send the next one in 42 s.`,
    )
    expect(headersOf(answer, /retry|ratelimit/)).toEqual({
      'retry-after': '42',
      'retry-after-ms': '41500',
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '42s',
    })
  })

  test('by tokens that one request has used for many minutes', async () => {
    const payer = await limited({ tokensPerMinute: 2 })
    expect((await ask(payer)).status).toBe(200)
    const answer = await ask(payer)
    expect(headersOf(answer, /retry|reset-tokens/)).toEqual({
      'retry-after': '240',
      'retry-after-ms': '240000',
      'x-should-retry': 'false',
      'x-ratelimit-reset-tokens': '4m0s',
    })
  })

  test('by models, endpoints and networks', async () => {
    const models = await limited({ models: ['test/fake'] })
    const other = await ask(models, { model: 'paid' })
    expect([other.status, await errorOf(other)]).toMatchObject([
      403,
      { type: 'permission_error', code: 'model_not_allowed', param: 'model' },
    ])
    expect((await ask(models, { model: 'fake' })).status).toBe(200)

    const endpoints = await limited({ endpoints: ['embeddings'] }, 'accountId')
    const chat = await ask(endpoints)
    expect(await errorOf(chat)).toMatchObject({
      code: 'endpoint_not_allowed',
      message: `The account ${endpoints.accountId} may not use 'chat/completions'. Allowed: embeddings.`,
    })

    const networks = await limited({ networks: ['10.0.0.0/8'] })
    expect(await errorOf(await ask(networks))).toMatchObject({ code: 'network_not_allowed' })
    const own = await fetch(`${server.baseUrl}/account`, { headers: { authorization: `Bearer ${networks.key}` } })
    expect(own.status).toBe(403)
    expect((await ask(await limited({ networks: ['127.0.0.0/8'] }))).status).toBe(200)
  })
})

test('every dialect tells of each refusal in its own way', async () => {
  const dialects: readonly [path: string, fields: object, shape: object][] = [
    ['/v1/responses', { input: 'one' }, { error: { code: 'CODE' } }],
    ['/v1/messages', {}, { type: 'error', error: { type: 'TYPE', code: 'CODE' } }],
    ['/v1/completions', { prompt: 'one' }, { error: { code: 'CODE' } }],
    ['/v1/messages/count_tokens', {}, { error: { code: 'CODE' } }],
    ['/v2/rerank', { model: 'test/ranker', query: 'a', documents: ['b'] }, { code: 'CODE' }],
    ['/v1/rerank', { model: 'test/ranker', query: 'a', documents: ['b'] }, { error: { code: 'CODE' } }],
    ['/v2/embed', { model: 'test/embedder', texts: ['a'], input_type: 'search_query' }, { code: 'CODE' }],
    ['/v1/embeddings', { model: 'test/embedder', input: 'a' }, { error: { code: 'CODE' } }],
    ['/api/chat', {}, { code: 'CODE' }],
    ['/api/embed', { model: 'test/embedder', input: 'a' }, { code: 'CODE' }],
  ]
  const refusals: readonly [Limits, number, string, string][] = [
    [{ requestsPerMinute: 1 }, 429, 'rate_limit_exceeded', 'rate_limit_error'],
    [{ endpoints: [] }, 403, 'endpoint_not_allowed', 'permission_error'],
    [{ models: [] }, 403, 'model_not_allowed', 'permission_error'],
  ]
  for (const [limits, status, code, type] of refusals) {
    for (const [path, fields, shape] of dialects) {
      const payer = await limited(limits)
      if (status === 429) await (await ask(payer)).text()
      const answer = await ask(payer, { path, ...fields })
      const told = JSON.parse(JSON.stringify(shape).replace('CODE', code).replace('TYPE', type))
      expect([path, answer.status]).toEqual([path, status])
      expect(await answer.json()).toMatchObject(told)
    }
  }
})

test('answers to messages tell limits in the headers of their dialect', async () => {
  const payer = await limited({ requestsPerMinute: 5, tokensPerMinute: 1_000, monthlyNanoUsd: 1_000_000 })
  const answer = await ask(payer, { path: '/v1/messages' })
  const { 'x-budget-reset': resetAt, ...headers } = headersOf(answer, /limit|budget/)
  expect(headers).toEqual({
    'anthropic-ratelimit-requests-limit': '5',
    'anthropic-ratelimit-requests-remaining': '4',
    'anthropic-ratelimit-requests-reset': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    'anthropic-ratelimit-tokens-limit': '1000',
    'anthropic-ratelimit-tokens-remaining': '992',
    'anthropic-ratelimit-tokens-reset': expect.stringMatching(/Z$/),
    'x-budget-remaining-usd': '0.00099986',
  })
  expect(resetAt).toMatch(/-01T00:00:00Z$/)
})

test('a whole answer tells the tokens that are left after it, a stream those that it may use no more', async () => {
  const payer = await limited({ tokensPerMinute: 100_000 })
  const left = async (fields: Ask) => {
    const answer = await ask(payer, { max_tokens: 500, ...fields })
    await answer.text()
    expect(answer.headers.get('x-ratelimit-reset-tokens')).toBe('1m0s')
    return answer.headers.get('x-ratelimit-remaining-tokens')
  }
  expect(await left({})).toBe(String(100_000 - 8))
  expect(await left({ stream: true })).toBe(String(100_000 - 8 - 505))
  expect(await left({ max_tokens: 'many' })).toBe(String(100_000 - 16))
})

test('without limits answers have no header of limits', async () => {
  expect(headersOf(await ask(server.payer(1_000)), /limit|budget|retry/)).toEqual({})
})

test('lists of models leave out those that a limit leaves out', async () => {
  const payer = await limited({ models: ['test/paid'] })
  const list = async (path: string) => {
    const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${payer.key}` } })
    return [answer.status, await answer.json()]
  }
  const ids = (answer: unknown) => JSON.stringify(answer).match(/"(?:id|name)":"[^"]+"/g)
  expect(ids(await list('/v1/models'))).toEqual(['"id":"test/paid"', '"id":"paid"'])
  expect(ids(await list('/api/tags'))?.join()).not.toContain('fake')
  expect(await list('/v1/models/test/paid')).toMatchObject([200, {}])
  expect(await list('/v1/models/test/fake')).toMatchObject([403, { error: { code: 'model_not_allowed' } }])
  const anybody = await fetch(`${server.baseUrl}/models`)
  expect(ids(await anybody.json())?.length).toBeGreaterThan(3)
})

test('GET /v1/account shows limits of account and key with what is left, and none where none are set', async () => {
  const payer = await limited({ monthlyNanoUsd: 1_000_000, requestsPerMinute: 5 })
  await server.stores.commits.run(() => server.stores.limits.set(payer.accountId, { parallel: 3 }))
  await (await ask(payer)).text()
  const shown = async ({ key }: Payer) => {
    const answer = await fetch(`${server.baseUrl}/account`, { headers: { authorization: `Bearer ${key}` } })
    return ((await answer.json()) as { readonly limits?: unknown }).limits
  }
  const none = { requests_per_minute: null, requests_left: null, tokens_per_minute: null, tokens_left: null }
  const rest = { running: 0, models: null, endpoints: null, networks: null }
  expect(await shown(payer)).toEqual([
    { ...none, ...rest, subject: payer.accountId, budgets: [], parallel: 3 },
    {
      ...{ ...none, ...rest, subject: payer.keyId, parallel: null, requests_per_minute: 5, requests_left: 4 },
      budgets: [
        {
          ...{ per: 'month', limit_usd: '0.001', spent_usd: '0.00000014', held_usd: '0', left_usd: '0.00099986' },
          resets: expect.any(Number),
        },
      ],
    },
  ])
  expect(await shown(server.payer(0))).toBeUndefined()
})

test('limits name exactly the endpoints that there are', () => {
  const served = Object.values(dialects).map(({ endpoint }) => endpoint)
  expect([...endpointNames].sort() as string[]).toEqual([...new Set([...served, 'alpha/search'])].sort())
})
