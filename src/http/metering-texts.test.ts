/** Money of embeddings and rerank: real sockets, real SQLite, an engine child that does what a script says. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { nanoToDecimal } from '../core/money.ts'
import { expectFiftyOf200 } from '../testing/money-for-fifty.ts'
import { NewPaths } from '../testing/new-paths.ts'
import { type Payer, startTestServer, type TestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'

let server: TestServer

beforeAll(() => {
  server = startTestServer({ models: { ...textModels, 'test/free': { manifest: { type: 'embedding' } } } })
})

afterAll(() => server[Symbol.asyncDispose]())

interface Endpoint {
  readonly path: string
  /** Returns a body with this first text. */
  readonly write: (first: string) => object
  readonly model: string
  /** Tokens of `write('one two')`; `costUsd` is their price. */
  readonly tokens: number
  readonly costUsd: string
}

const endpoints: readonly Endpoint[] = [
  {
    path: '/v1/embeddings',
    model: 'test/embedder',
    write: (first) => ({ model: 'embedder', input: [first, 'three'] }),
    tokens: 3,
    costUsd: '0.00000003',
  },
  {
    path: '/v1/rerank',
    model: 'test/reranker',
    write: (first) => ({ model: 'reranker', query: first, documents: ['three', 'four five'] }),
    tokens: 7,
    costUsd: '0.00000007',
  },
]
const tokenNanoUsd = 10

interface SendOptions {
  readonly signal?: AbortSignal
  /** Separate server for tests that crash engines: a model is given up after three crashes within a minute. */
  readonly to?: TestServer
}

function send(payer: Pick<Payer, 'key'>, path: string, body: object, { signal, to = server }: SendOptions = {}) {
  return fetch(to.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

function script(actions: readonly object[], fields: object = {}): string {
  return JSON.stringify({ script: actions, ...fields })
}

/** Returns the log line and the receipt of an account's only request, once it is over. */
async function recordOf(payer: Payer, at = server) {
  const line = await at.line(({ accountId }) => accountId === payer.accountId)
  return { line, receipt: at.stores.usage.find(line.requestId) }
}

/** Resolves when a running engine has `count` requests at work. */
async function untilAtWork(model: string, count: number, at = server): Promise<void> {
  while (at.pool.status().find(({ modelId }) => modelId === model)?.running !== count) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe.each(endpoints)('$path', ({ path, model, write, tokens, costUsd }) => {
  const price = tokens * tokenNanoUsd

  test.each(['', '/openai'])('costs the price of its tokens, below %p/v1', async (prefix) => {
    const payer = server.payer(10_000)
    const response = await send(payer, prefix + path, write('one two'))
    expect(await response.json()).toMatchObject({ usage: { prompt_tokens: tokens, total_tokens: tokens } })
    expect(response.headers.get('x-cost-usd')).toBe(costUsd)
    expect(payer.money()).toEqual({ balance: 10_000 - price, held: 0 })
    const { receipt } = await recordOf(payer)
    expect(receipt).toMatchObject({
      accountId: payer.accountId,
      keyId: payer.keyId,
      endpoint: path.slice('/v1/'.length),
      model,
      used: { promptTokens: tokens, cachedTokens: 0, completionTokens: 0 },
      costNanoUsd: price,
      chargedNanoUsd: price,
      finish: 'stop',
      runningMs: expect.any(Number),
    })
  })

  test('is charged when the answer is there', async () => {
    const payer = server.payer(10_000)
    await send(payer, path, write('one two'))
    // Only the headers have come so far.
    expect(payer.money()).toEqual({ balance: 10_000 - price, held: 0 })
  })

  test('takes the last money, and is refused with a nano-USD less', async () => {
    const rich = server.payer(price)
    expect((await send(rich, path, write('one two'))).status).toBe(200)
    expect(rich.money()).toEqual({ balance: 0, held: 0 })

    const poor = server.payer(price - 1)
    const response = await send(poor, path, write('one two'))
    expect(response.status).toBe(402)
    expect(await response.json()).toEqual({
      error: {
        message:
          `This request needs up to $${costUsd} and $${nanoToDecimal(price - 1)} is available. ` +
          `That does not pay for the ${tokens} tokens of this request: send fewer or shorter texts. ` +
          `Add funds at ${server.url}/dashboard/billing`,
        type: 'insufficient_balance',
        param: null,
        code: 'insufficient_balance',
        docs_url: `${server.url}/docs/errors#insufficient_balance`,
      },
    })
    expect(poor.money()).toEqual({ balance: price - 1, held: 0 })
    expect((await recordOf(poor)).receipt).toBeUndefined()
  })

  test('is refused before a model is loaded where there is no money at all', async () => {
    await using other = startTestServer({ models: textModels })
    const response = await send(other.payer(tokenNanoUsd - 1), path, write('one two'), { to: other })
    expect(response.status).toBe(402)
    expect(other.pool.status()).toEqual([])
  })

  test.each<[string, object, number]>([
    ['what was processed until then', { prefillTokens: 20 }, 20],
    ['all of it when all was processed', {}, 70],
    ['nothing when nothing was', { prefillTokens: 0 }, 0],
  ])('costs a client that disconnects %s', async (_, fields, charged) => {
    const payer = server.payer(10_000)
    const leaving = new AbortController()
    const text = script([{ waitForCancel: true }], { promptTokens: 70, ...fields })
    const answer = send(payer, path, write(text), { signal: leaving.signal }).catch((thrown: unknown) => thrown)
    await untilAtWork(model, 1)
    expect(payer.money()).toEqual({ balance: 10_000, held: 700 })
    leaving.abort()
    await answer
    const { line, receipt } = await recordOf(payer)
    expect(line).toMatchObject({ status: 499, isAborted: true, finish: 'client_disconnect' })
    expect(receipt).toMatchObject({ used: { promptTokens: charged }, chargedNanoUsd: charged * tokenNanoUsd })
    expect(payer.money()).toEqual({ balance: 10_000 - charged * tokenNanoUsd, held: 0 })
  })

  test.each([{ crash: 'exit' }, { crash: 'abort' }])('costs nothing when the engine dies: %j', async (crash) => {
    await using other = startTestServer({ models: textModels })
    const payer = other.payer(10_000)
    const response = await send(payer, path, write(script([{ delayMs: 0 }, crash])), { to: other })
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { code: 'engine_failed', type: 'server_error' } })
    expect((await recordOf(payer, other)).receipt).toMatchObject({
      costNanoUsd: 0,
      chargedNanoUsd: 0,
      finish: 'failed',
    })
    expect(payer.money()).toEqual({ balance: 10_000, held: 0 })
  })

  test('serves all who wait for an engine that one of them kills, and charges each once', async () => {
    await using other = startTestServer({ models: textModels })
    using paths = new NewPaths()
    const payers = Array.from({ length: 50 }, () => other.payer(10_000))
    const answers = payers.map((payer) => {
      const waiting = script([{ waitForCancel: true, once: paths.next() }], { promptTokens: 70 })
      return send(payer, path, write(waiting), { to: other })
    })
    await untilAtWork(model, 50, other)
    const killer = other.payer(10_000)
    expect((await send(killer, path, write(script([{ crash: 'exit' }])), { to: other })).status).toBe(502)
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(50).fill(200))
    for (const payer of payers) expect(payer.money()).toEqual({ balance: 10_000 - 70 * tokenNanoUsd, held: 0 })
    expect(killer.money()).toEqual({ balance: 10_000, held: 0 })
    expect((await send(killer, path, write('one two'), { to: other })).status).toBe(200)
  })

  test.each<[string, object[]]>([
    ['before it begins', []],
    ['in the middle', [{ delayMs: 0 }]],
  ])('costs nothing where the engine refuses it %s', async (_, actions) => {
    const payer = server.payer(10_000)
    const error = { kind: 'invalid_request', code: 'context_length_exceeded', message: 'too long' }
    const response = await send(payer, path, write(script([...actions, { error }])))
    expect(response.status).toBe(400)
    await recordOf(payer)
    expect(payer.money()).toEqual({ balance: 10_000, held: 0 })
  })

  test('of 200 at once on money for 50 exactly 50 succeed, and the balance ends at 0', async () => {
    const payer = server.payer(50 * price)
    await expectFiftyOf200(server, payer, () => send(payer, path, write('one two')))
  })

  test('is priced for the operator and never refused', async () => {
    const response = await server.post(path, write('one two'))
    expect(response.status).toBe(200)
    expect(response.headers.has('x-balance-usd')).toBe(false)
    expect(server.stores.usage.find(response.headers.get('x-request-id') ?? '')).toMatchObject({
      costNanoUsd: price,
      chargedNanoUsd: 0,
    })
  })

  test('402 comes after what is wrong with the request where a model is free, else before', async () => {
    const payer = server.payer(0)
    const isAnyFree = path === '/v1/embeddings'
    const { status } = await send(payer, path, { ...write(''), top_n: 0 })
    expect(status).toBe(isAnyFree ? 400 : 402)
    expect((await send(payer, path, { ...write('a'), model: 'nobody/knows' })).status).toBe(isAnyFree ? 404 : 402)
  })
})

test('a model without prices costs nothing, also those who have nothing', async () => {
  const payer = server.payer(0)
  const response = await send(payer, '/v1/embeddings', { model: 'test/free', input: 'a' })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-cost-usd')).toBe('0')
  expect(server.stores.ledger.list({ accountId: payer.accountId, limit: 10 })).toEqual([])
})

test('what the engines have counted is what was paid for', async () => {
  for (const { path, model, write } of endpoints) {
    const before = (await server.pool.stats(model))?.decodedPromptTokens ?? 0
    const payer = server.payer(1_000_000)
    const text = script([], { promptTokens: 12 })
    await Promise.all(Array.from({ length: 20 }, () => send(payer, path, write(text)).then((answer) => answer.text())))
    expect((await server.pool.stats(model))?.decodedPromptTokens).toBe(before + 240)
    expect(payer.money()).toEqual({ balance: 1_000_000 - 2_400, held: 0 })
  }
})
