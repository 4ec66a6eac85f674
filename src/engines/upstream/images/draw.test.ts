/** Pictures by a scripted server over real sockets: requests, answers, and money to the nano-USD. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { startTestServer } from '../../../testing/test-server.ts'
import { type RawExchange, startRawServer } from '../../../testing/upstream/raw-server.ts'
import { servedBy } from '../../../testing/upstream/upstream-host.ts'

const pixel = `iVBORw0KGgo${'A'.repeat(32)}`
const photo = `/9j/${'B'.repeat(32)}`

/** Answer to the next request for pictures. `asked` collects the bodies of such requests. */
let answer: (exchange: RawExchange) => unknown = () => undefined
const asked: Record<string, unknown>[] = []
const behind = await startRawServer((exchange) => {
  if (exchange.request.startsWith('GET'))
    return sendJson(exchange, 200, { data: [{ id: 'served' }, { id: 'gpt-image-2' }] })
  asked.push(JSON.parse(exchange.request.slice(exchange.request.indexOf('\r\n\r\n'))))
  answer(exchange)
})
const url = behind.url.replace('/chat/completions', '')

function sendJson(exchange: RawExchange, status: number, body: object): void {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 ${status} Said\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`
  exchange.say(head + text)
}

function giveImages(...images: readonly string[]) {
  return (exchange: RawExchange) => sendJson(exchange, 200, { data: images.map((b64_json) => ({ b64_json })) })
}

const price = 20_000_001
const pricing = { priceNanoUsd: price, unit: 'image' } as const
const flavors: readonly UpstreamFlavor[] = ['vllm', 'sglang', 'openai', 'inferd']
const server = startTestServer({
  models: {
    ...Object.fromEntries(
      flavors.map((flavor) => [`${flavor}/painter`, servedBy(flavor, [{ url }], { type: 'image', pricing })]),
    ),
    'gpt/painter': servedBy('openai', [{ url }], { type: 'image', pricing, upstream: { model: 'gpt-image-2' } }),
  },
  upstream: { limits: { firstByteMs: 100, totalMs: 60_000 } },
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await behind[Symbol.asyncDispose]()
})
afterEach(() => {
  asked.length = 0
})

const balance = 1_000_000_000
const model = 'openai/painter'
const prompt = 'A red apple.'

function ask(key: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.baseUrl}/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, prompt, ...body }),
    ...(signal && { signal }),
  })
}

/** Returns status, body and charge of a request of an account with 50 times the price of a picture. */
async function paid(body: object) {
  const payer = server.payer(balance)
  const response = await ask(payer.key, body)
  const said = Object(await response.json())
  const { balance: left, held } = payer.money()
  expect(held).toBe(0)
  const used = server.stores.usage.find(response.headers.get('x-request-id') ?? '')?.used.images
  return { status: response.status, said, charged: balance - left, used }
}

test('the OpenAI SDK gets the pictures, and pays for each', async () => {
  answer = giveImages(pixel, photo)
  const payer = server.payer(balance)
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: payer.key, maxRetries: 0 })
  const wishes = { size: '512x512', quality: 'high', output_format: 'jpeg', response_format: 'b64_json' } as const
  const { data, created } = await client.images.generate({ model, prompt, n: 2, ...wishes, user: 'ann' })
  expect(data).toEqual([{ b64_json: pixel }, { b64_json: photo }])
  expect(created).toBeGreaterThan(1_700_000_000)
  expect(asked).toEqual([{ model: 'served', prompt, n: 2, ...wishes }])
  expect(payer.money()).toEqual({ balance: balance - 2 * price, held: 0 })
})

test.each(flavors)('servers of flavor %s are asked for base64', async (flavor) => {
  answer = giveImages(pixel)
  expect(await paid({ model: `${flavor}/painter` })).toMatchObject({ status: 200, charged: price, used: 1 })
  expect(asked).toEqual([{ model: 'served', prompt, n: 1, response_format: 'b64_json' }])
})

test('models that know base64 alone are not asked for it, and a prompt that was replaced is shown', async () => {
  answer = (exchange) => sendJson(exchange, 200, { data: [{ b64_json: pixel, revised_prompt: 'An apple.' }] })
  const { said } = await paid({ model: 'gpt/painter' })
  expect(said.data).toEqual([{ b64_json: pixel, revised_prompt: 'An apple.' }])
  expect(asked).toEqual([{ model: 'gpt-image-2', prompt, n: 1 }])
})

test('a server that makes fewer pictures is paid for these, and one that makes more for those asked for', async () => {
  answer = giveImages(pixel)
  expect(await paid({ n: 4 })).toMatchObject({ status: 200, charged: price, used: 1, said: { data: [{}] } })
  answer = giveImages(pixel, pixel, pixel)
  const more = await paid({ n: 2 })
  expect(more).toMatchObject({ status: 200, charged: 2 * price, used: 2 })
  expect(more.said.data).toHaveLength(2)
})

const failures: Readonly<Record<string, (exchange: RawExchange) => unknown>> = {
  'no picture': giveImages(),
  'an address': (exchange) => sendJson(exchange, 200, { data: [{ url: 'https://inside.example/1.png' }] }),
  'a text in place of a picture': giveImages(pixel, 'sorry'),
  'another form': (exchange) => sendJson(exchange, 200, { images: [pixel] }),
  'a page': (exchange) => exchange.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>inside</html>'),
  'an error': (exchange) => sendJson(exchange, 500, { error: 'inside' }),
  'the wrong key': (exchange) => sendJson(exchange, 401, { error: 'inside' }),
  'an answer that is cut': (exchange) =>
    exchange.end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"data":[{"b64_json":"${pixel}`,
    ),
}

test.each(Object.entries(failures))('%s costs nothing, and tells no internals', async (_, scripted) => {
  answer = scripted
  const { status, said, charged } = await paid({ n: 2 })
  expect([status, said.error.code, charged]).toEqual([502, 'engine_failed', 0])
  expect(JSON.stringify(said)).not.toContain('inside')
})

test('a server that never answers is given up, and costs nothing', async () => {
  answer = () => undefined
  const { status, charged } = await paid({})
  expect([status, charged]).toEqual([503, 0])
})

test('an answer of 500 MB is read up to the limit, and costs nothing', async () => {
  const poured: RawExchange[] = []
  answer = (exchange) => {
    poured.push(exchange)
    exchange.say('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500000000\r\n\r\n')
    exchange.say(`{"data":[{"b64_json":"${pixel}`)
    exchange.pour('A'.repeat(1024 * 1024))
  }
  const { status, charged } = await paid({})
  expect([status, charged]).toEqual([502, 0])
  await poured[0]?.closed
  expect(poured).toHaveLength(1)
  expect(poured[0]?.pouredBytes).toBeLessThan(40_000_000)
})

test('what the server refuses is the request, not the server', async () => {
  answer = (exchange) => sendJson(exchange, 400, { error: { message: 'inside: moderation_blocked' } })
  for (let times = 0; times < 6; times++) {
    const { status, said, charged } = await paid({ size: '7x7' })
    expect([status, said.error.code, charged]).toEqual([400, 'image_refused', 0])
    expect(said.error.message).not.toContain('inside')
  }
  answer = giveImages(pixel)
  expect((await paid({})).status).toBe(200)
})

test('the price of all pictures is held meanwhile; who leaves before there are any pays nothing', async () => {
  answer = () => undefined
  const payer = server.payer(balance)
  const client = new AbortController()
  const next = behind.next()
  const response = ask(payer.key, { n: 3 }, client.signal).catch((error: unknown) => error)
  const { closed } = await next
  expect(payer.money()).toEqual({ balance, held: 3 * price })
  client.abort()
  await closed
  await response
  await server.line((line) => line.accountId === payer.accountId)
  expect(payer.money()).toEqual({ balance, held: 0 })
})

test('a box behind another: both are paid for the pictures that came, and its refusals are passed on', async () => {
  const key = server.payer(balance)
  await using front = startTestServer({
    models: {
      'front/painter': servedBy('inferd', [{ url: server.baseUrl }], { type: 'image', pricing, upstream: { model } }),
    },
    upstream: { readKey: async () => key.key },
  })
  answer = giveImages(pixel)
  const payer = front.payer(balance)
  const headers = { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'front/painter', prompt, n: 3 })
  const post = () => fetch(`${front.baseUrl}/images/generations`, { method: 'POST', headers, body })
  expect(await (await post()).json()).toMatchObject({ data: [{ b64_json: pixel }] })
  expect([payer.money(), key.money()]).toEqual([
    { balance: balance - price, held: 0 },
    { balance: balance - price, held: 0 },
  ])
  answer = (exchange) => sendJson(exchange, 400, { error: 'inside' })
  expect(await (await post()).json()).toMatchObject({ error: { code: 'image_refused' } })
  expect(payer.money()).toEqual({ balance: balance - price, held: 0 })
})

describe('money that does not suffice', () => {
  test('is refused before the server is asked, with the number of pictures', async () => {
    const payer = server.payer(3 * price - 1)
    const response = await ask(payer.key, { n: 3 })
    expect(response.status).toBe(402)
    expect(Object(await response.json()).error.message).toContain('That does not pay for 3 pictures: ask for fewer.')
    expect(asked).toEqual([])
    answer = giveImages(pixel, pixel)
    expect((await ask(payer.key, { n: 2 })).status).toBe(200)
    expect(payer.money()).toEqual({ balance: price - 1, held: 0 })
  })
})

const refusals: readonly (readonly [fields: object, code: string, param: string])[] = [
  [{ response_format: 'url' }, 'unsupported_parameter', 'response_format'],
  [{ stream: true }, 'unsupported_parameter', 'stream'],
  [{ partial_images: 2 }, 'unsupported_parameter', 'partial_images'],
  [{ svg: {} }, 'unsupported_parameter', 'svg'],
  [{ n: 0 }, 'invalid_value', 'n'],
  [{ n: 11 }, 'invalid_value', 'n'],
  [{ prompt: ' ' }, 'invalid_value', 'prompt'],
  [{ prompt: null }, 'missing_required_parameter', 'prompt'],
  [{ size: '1024' }, 'invalid_value', 'size'],
  [{ output_format: 'gif' }, 'invalid_value', 'output_format'],
  [{ model: 'test/fake' }, 'model_type_mismatch', 'model'],
]

test.each(refusals)('%j is refused by name', async (fields, code, param) => {
  const { status, said, charged } = await paid(fields)
  expect([status, said.error.code, said.error.param, charged]).toEqual([400, code, param, 0])
  expect(asked).toEqual([])
})

test('without a model that makes pictures the answer says how to have one', async () => {
  await using other = startTestServer()
  for (const body of [{ prompt }, { model: 'gpt-image-2', prompt }]) {
    const response = await other.post('/v1/images/generations', body)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      error: { code: 'not_supported', message: expect.stringContaining('manifest of type "image"') },
    })
  }
  expect((await other.post('/v1/images/edits', {})).status).toBe(404)
})
