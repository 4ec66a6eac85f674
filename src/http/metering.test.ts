/** Money over HTTP: real sockets, real SQLite, an engine child that does what each request's script says. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expectFiftyOf200 } from '../testing/money-for-fifty.ts'
import { NewPaths } from '../testing/new-paths.ts'
import { type Payer, startTestServer, type TestServer } from '../testing/test-server.ts'
import { until } from '../testing/until.ts'

/** 10 nano-USD per prompt token, 4 per cached one, 30 per output token. */
const pricing = {
  inputNanoUsd: 10_000_000,
  cachedInputNanoUsd: 4_000_000,
  outputNanoUsd: 30_000_000,
  unit: '1M_tokens',
} as const
const model = 'test/paid'
/** Price of an answer of three words, after the five prompt tokens of every script. */
const threeWords = 5 * 10 + 3 * 30

let server: TestServer

beforeAll(() => {
  server = startTestServer({
    models: { [model]: { manifest: { pricing, aliases: [{ id: 'paid' }] } } },
    config: { holdTokens: 4 },
  })
})

afterAll(() => server[Symbol.asyncDispose]())

interface Ask {
  readonly content?: string
  readonly path?: string
  readonly signal?: AbortSignal
  readonly [field: string]: unknown
}

function ask(
  payer: Payer,
  { content = 'one two three', path = '/v1/chat/completions', signal, ...fields }: Ask & object = {},
) {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }], ...fields }),
    ...(signal && { signal }),
  })
}

function script(actions: readonly object[], fields: object = {}): string {
  return JSON.stringify({ script: actions, ...fields })
}

const words = (count: number) => Array.from({ length: count }, () => ({ text: 'word ' }))

/** Returns the record of the request that got this answer, once it is over. */
async function recordOf(response: Response) {
  const requestId = response.headers.get('x-request-id')
  await server.line((line) => line.requestId === requestId)
  return server.stores.usage.find(requestId ?? '')
}

test('a whole answer tells its price and the balance after it, and leaves a record', async () => {
  const payer = server.payer(10_000)
  const response = await ask(payer, { max_tokens: 10 })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-cost-usd')).toBe('0.00000014')
  expect(response.headers.get('x-balance-usd')).toBe('0.00000986')
  expect(payer.money()).toEqual({ balance: 10_000 - threeWords, held: 0 })
  expect(await recordOf(response)).toMatchObject({
    accountId: payer.accountId,
    keyId: payer.keyId,
    endpoint: 'chat/completions',
    model,
    used: { promptTokens: 5, cachedTokens: 0, completionTokens: 3 },
    pricing,
    costNanoUsd: threeWords,
    chargedNanoUsd: threeWords,
    finish: 'stop',
    runningMs: expect.any(Number),
  })
})

describe('every dialect is paid for', () => {
  const messages = [{ role: 'user', content: 'one two three' }]
  const bodies: [path: string, body: Ask][] = [
    ['/v1/chat/completions', { messages }],
    ['/openai/v1/chat/completions', { messages }],
    ['/v1/responses', { input: 'one two three' }],
    ['/v1/messages', { messages, max_tokens: 10 }],
  ]
  for (const stream of [false, true]) {
    test.each(bodies)(`%s, stream ${stream}`, async (path, body) => {
      const payer = server.payer(10_000)
      const response = await ask(payer, { path, ...body, stream })
      await response.text()
      expect(response.status).toBe(200)
      expect(payer.money()).toEqual({ balance: 10_000 - threeWords, held: 0 })
      expect((await recordOf(response))?.endpoint).toBe(path.replace(/^.*\/v1\//, ''))
    })
  }

  test.each([['/v1/messages/count_tokens'], ['/v1/responses/input_tokens']])('but %s is free', async (path) => {
    const payer = server.payer(0)
    await (await ask(server.payer(10_000), {})).text() // loads the model
    const response = await ask(payer, { path, input: 'one two', max_tokens: 10 })
    expect(response.status).toBe(200)
    expect(payer.money()).toEqual({ balance: 0, held: 0 })
  })
})

test('cached tokens cost their own price', async () => {
  const payer = server.payer(10_000)
  const content = script([{ text: 'a' }], { promptTokens: 100, cachedTokens: 60 })
  await (await ask(payer, { content })).text()
  expect(payer.money().balance).toBe(10_000 - 40 * 10 - 60 * 4 - 30)
})

test('each of several answers is paid for, their prompt once', async () => {
  const payer = server.payer(10_000)
  await (await ask(payer, { n: 3 })).text()
  expect(payer.money()).toEqual({ balance: 10_000 - 5 * 10 - 9 * 30, held: 0 })
})

describe('402', () => {
  test('says what is needed, what there is, what that pays for, and where to add to it', async () => {
    const payer = server.payer(5 * 10 + 7 * 30)
    const response = await ask(payer, { max_tokens: 8 })
    expect(response.status).toBe(402)
    expect(await response.json()).toEqual({
      error: {
        message:
          'This request needs up to $0.00000029 and $0.00000026 is available. ' +
          'That pays for 7 output tokens after 5 of the prompt: ask for at most that many. ' +
          `Add funds at ${server.url}/dashboard/billing`,
        type: 'insufficient_balance',
        param: null,
        code: 'insufficient_balance',
        docs_url: `${server.url}/docs/errors#insufficient_balance`,
      },
    })
    expect(payer.money()).toEqual({ balance: 260, held: 0 })
    expect(await recordOf(response)).toBeUndefined()
    expect((await ask(payer, { max_tokens: 7 })).status).toBe(200)
  })

  test('is a status also for streams, and billing_error in messages', async () => {
    const payer = server.payer(0)
    const stream = await ask(payer, { stream: true })
    expect([stream.status, stream.headers.get('content-type')]).toEqual([402, 'application/json;charset=utf-8'])
    const message = await ask(payer, { path: '/v1/messages', max_tokens: 10 })
    expect(message.status).toBe(402)
    expect(await message.json()).toMatchObject({ type: 'error', error: { type: 'billing_error' } })
  })

  test('reaches users of the stock libraries with its message, after one request', async () => {
    const payer = server.payer(0)
    const openai = new OpenAI({ apiKey: payer.key, baseURL: server.baseUrl })
    const anthropic = new Anthropic({ apiKey: payer.key, baseURL: server.url })
    const messages = [{ role: 'user' as const, content: 'one' }]
    const failures = [
      await openai.chat.completions.create({ model, messages }).catch((error: unknown) => error),
      await openai.responses.create({ model, input: 'one' }).catch((error: unknown) => error),
      await anthropic.messages.create({ model, messages, max_tokens: 10 }).catch((error: unknown) => error),
    ]
    for (const failure of failures) {
      expect(failure).toMatchObject({
        status: 402,
        message: expect.stringContaining(`${server.url}/dashboard/billing`),
      })
    }
    expect(server.lines.filter((line) => line.accountId === payer.accountId)).toHaveLength(3)
  })

  test('comes before a model is loaded', async () => {
    const payer = server.payer(39)
    await using other = startTestServer({ models: { [model]: { manifest: { pricing } } } })
    const poor = other.payer(39)
    const response = await fetch(`${other.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${poor.key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'one' }] }),
    })
    expect(response.status).toBe(402)
    expect(other.pool.status()).toEqual([])
    expect(payer.money()).toEqual({ balance: 39, held: 0 })
  })

  test('a free count loads no model for an account without money', async () => {
    await using other = startTestServer({ models: { [model]: { manifest: { pricing } } } })
    const poor = other.payer(0)
    const count = () =>
      fetch(`${other.baseUrl}/messages/count_tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${poor.key}` },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'one' }] }),
      })
    expect((await count()).status).toBe(402)
    expect(other.pool.status()).toEqual([])
  })

  test('comes after everything that is wrong with the request itself', async () => {
    const payer = server.payer(0)
    expect((await ask(payer, { temperature: 'hot' })).status).toBe(400)
    expect((await ask(payer, { model: 'nobody/knows' })).status).toBe(404)
  })
})

describe('an answer without a limit', () => {
  test('goes on as long as there is money for the next tokens', async () => {
    const payer = server.payer(100_000)
    const response = await ask(payer, { content: script(words(50)) })
    expect(await response.json()).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { completion_tokens: 50 },
    })
    expect(payer.money()).toEqual({ balance: 100_000 - 5 * 10 - 50 * 30, held: 0 })
  })

  test('ends with length where the money ends, to the last token that it pays for', async () => {
    const payer = server.payer(5 * 10 + 22 * 30 + 29)
    const response = await ask(payer, { content: script(words(50)) })
    expect(await response.json()).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { completion_tokens: 22 },
    })
    expect(payer.money()).toEqual({ balance: 29, held: 0 })
    expect((await recordOf(response))?.finish).toBe('out_of_balance')
  })

  test('ends by itself where it does so within its last money', async () => {
    const payer = server.payer(5 * 10 + 22 * 30)
    const response = await ask(payer, { content: script(words(22)) })
    expect(await response.json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
    expect(payer.money()).toEqual({ balance: 0, held: 0 })
    expect((await recordOf(response))?.finish).toBe('stop')
  })
})

describe('an answer that only repeated itself', () => {
  const content = script(words(3), { finish: 'length', isRepetition: true })
  const messages = [{ role: 'user', content }]
  test.each<[path: string, body: Ask, answer: object]>([
    ['/v1/chat/completions', { content }, { choices: [{ finish_reason: 'length' }] }],
    [
      '/v1/responses',
      { input: content },
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ],
    ['/v1/messages', { messages, max_tokens: 100 }, { stop_reason: 'max_tokens' }],
  ])('%s calls it a limit, log and receipt say which', async (path, body, answer) => {
    const payer = server.payer(10_000)
    const response = await ask(payer, { path, ...body })
    expect(await response.json()).toMatchObject(answer)
    expect((await recordOf(response))?.finish).toBe('repetition')
    const requestId = response.headers.get('x-request-id')
    expect(await server.line((line) => line.requestId === requestId)).toMatchObject({ finish: 'repetition' })
    expect(payer.money()).toEqual({ balance: 10_000 - threeWords, held: 0 })
  })
})

describe("a manifest's limit", () => {
  test('ends answers that name none, and is not paid ahead', async () => {
    await using limited = startTestServer({
      models: { [model]: { manifest: { pricing, defaults: { maxTokens: 7 } } } },
      config: { holdTokens: 4 },
    })
    const body = { model, messages: [{ role: 'user', content: 'one two three four five six seven eight nine' }] }
    const send = (payer: Payer, more: object = {}) =>
      fetch(`${limited.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${payer.key}` },
        body: JSON.stringify({ ...body, ...more }),
      })
    const cut = await (await send(limited.payer(10_000), { n: 2 })).json()
    expect(cut).toMatchObject({
      choices: [{ finish_reason: 'length' }, { finish_reason: 'length' }],
      usage: { completion_tokens: 14 },
    })
    const whole = await (await send(limited.payer(10_000), { max_tokens: 20 })).json()
    expect(whole).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 9 } })
    // Money for one slice, and for five output tokens in all.
    const poor = limited.payer(5 * 10 + 5 * 30)
    expect(await (await send(poor)).json()).toMatchObject({ usage: { completion_tokens: 5 } })
    expect((await send(limited.payer(5 * 10 + 5 * 30), { max_tokens: 7 })).status).toBe(402)
  })
})

test('of 200 requests at once on money for 50 exactly 50 succeed, and the balance ends at 0', async () => {
  const payer = server.payer(50 * threeWords)
  await expectFiftyOf200(server, payer, () => ask(payer, { max_tokens: 3 }))
})

describe('a request whose engine dies before its client has been given anything is charged once, for what it got', () => {
  const paths = new NewPaths()
  afterAll(() => paths[Symbol.dispose]())
  const cases: [string, (crash: object) => Ask][] = [
    ['a whole answer in its middle', (crash) => ({ content: script([...words(6), crash, ...words(3)]) })],
    ['a stream at its start', (crash) => ({ content: script([crash, ...words(9)]), stream: true })],
    [
      'a whole answer of another dialect',
      (crash) => ({ path: '/v1/messages', max_tokens: 20, content: script([...words(6), crash, ...words(3)]) }),
    ],
  ]
  test('not at all when its client leaves while it waits for the next engine', async () => {
    const payer = server.payer(10_000)
    const leaving = new AbortController()
    const begun = paths.next()
    const content = script([{ crash: 'exit', once: begun }, { waitForCancel: true }, ...words(3)])
    const answer = ask(payer, { content, signal: leaving.signal, stream: true }).catch(String)
    await until(
      'the crash has begun',
      () => existsSync(begun),
      (isThere) => isThere,
    )
    leaving.abort()
    await answer
    await server.drained()
    expect(payer.money()).toMatchObject({ held: 0 })
  })

  test.each(cases)('%s', async (_, request) => {
    const payer = server.payer(10_000)
    const response = await ask(payer, request({ crash: 'abort', once: paths.next() }))
    const text = await response.text()
    expect([response.status, text.match(/word/g)?.length]).toEqual([200, 9])
    expect(await recordOf(response)).toMatchObject({ chargedNanoUsd: 5 * 10 + 9 * 30, finish: 'stop' })
    expect(payer.money()).toEqual({ balance: 10_000 - 5 * 10 - 9 * 30, held: 0 })
  })

  test('a stream whose head was sent before', async () => {
    const payer = server.payer(10_000)
    const content = script([{ crash: 'kill', once: paths.next() }, ...words(3)])
    const response = await ask(payer, { path: '/v1/messages', max_tokens: 20, stream: true, content })
    const text = await response.text()
    expect(text.match(/^event: (message_start|message_stop|error)$/gm)).toEqual([
      'event: message_start',
      'event: message_stop',
    ])
    expect(payer.money()).toEqual({ balance: 10_000 - threeWords, held: 0 })
  })

  test('with no more money than the hold', async () => {
    const payer = server.payer(threeWords)
    const response = await ask(payer, {
      content: script([{ crash: 'exit', once: paths.next() }, ...words(3)]),
      max_tokens: 3,
    })
    expect([response.status, payer.money()]).toEqual([200, { balance: 0, held: 0 }])
  })
})

describe('our own failures cost nothing', () => {
  const crashes: [string, Ask][] = [
    ['a crash in the middle of a whole answer', { content: script([...words(3), { crash: 'exit' }]) }],
    ['a crash in the middle of a stream', { content: script([...words(3), { crash: 'abort' }]), stream: true }],
  ]
  test.each(crashes)('%s', async (_, request) => {
    const payer = server.payer(10_000)
    const response = await ask(payer, request)
    await response.text()
    expect(await recordOf(response)).toMatchObject({ costNanoUsd: 0, chargedNanoUsd: 0, finish: 'failed' })
    expect(payer.money()).toEqual({ balance: 10_000, held: 0 })
  })

  test('a request that ended two engines is refused when it comes again, large or small', async () => {
    const payer = server.payer(10_000)
    const restarts = () => server.pool.status().find(({ modelId }) => modelId === model)?.restarts ?? 0
    expect((await ask(payer, {})).status).toBe(200)
    for (const padding of ['', 'x'.repeat(10_000)]) {
      const before = restarts()
      for (let time = 0; time < 3; time++) {
        const response = await ask(payer, { content: script([{ crash: 'exit' }], { padding }) })
        expect([response.status, Object(await response.json()).error.code]).toEqual([502, 'engine_failed'])
      }
      expect((await ask(payer, { content: `one ${padding.length}` })).status).toBe(200)
      expect(restarts()).toBe(before + 2)
    }
    expect(payer.money().held).toBe(0)
  })

  test('what the engine refuses leaves no record', async () => {
    const payer = server.payer(10_000)
    const error = { kind: 'invalid_request', code: 'context_length_exceeded', message: 'too long', param: 'messages' }
    const response = await ask(payer, { content: script([{ error }]) })
    await response.text()
    expect(payer.money()).toEqual({ balance: 10_000, held: 0 })
  })
})

test('the operator is never refused, and its use is priced', async () => {
  const response = await server.post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'one two three' }],
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-cost-usd')).toBe('0.00000014')
  expect(response.headers.has('x-balance-usd')).toBe(false)
  expect(await recordOf(response)).toMatchObject({ costNanoUsd: threeWords, chargedNanoUsd: 0 })
})

test('a model without prices costs nothing, also those who have nothing', async () => {
  const payer = server.payer(0)
  const response = await ask(payer, { model: 'fake' })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-cost-usd')).toBe('0')
  expect(server.stores.ledger.list({ accountId: payer.accountId, limit: 10 })).toEqual([])
})
