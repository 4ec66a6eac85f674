/** Moderations by servers with an endpoint for them: verdicts as they give them, tokens as they or we count. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { moderationCategories } from '../../../core/moderation.ts'
import { startTestServer } from '../../../testing/test-server.ts'
import { servedBy } from '../../../testing/upstream/upstream-host.ts'

const harmless = Object.fromEntries(moderationCategories.map((name) => [name, 0.01]))
const nothing = Object.fromEntries(moderationCategories.map((name) => [name, false]))
const plain = { flagged: false, categories: nothing, category_scores: harmless }
/** A verdict whose category applies at a score of the server's own choice. */
const violent = {
  flagged: true,
  categories: { ...nothing, violence: true },
  category_scores: { ...harmless, violence: 0.3 },
}

let answer: unknown
const asked: unknown[] = []
const behind = Bun.serve({
  port: 0,
  async fetch(request) {
    if (request.method === 'GET') return Response.json({ data: [{ id: 'served' }] })
    asked.push([new URL(request.url).pathname, await request.json()])
    return answer instanceof Response ? answer : Response.json(answer)
  },
})
const pricing = { priceNanoUsd: 10_000_000, unit: '1M_tokens' } as const
const server = startTestServer({
  models: {
    'vendor/moderation': servedBy('openai', [{ url: `${behind.url.origin}/v1` }], {
      ...{ type: 'moderation', pricing, aliases: [{ id: 'omni-moderation-latest' }] },
    }),
  },
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await behind.stop(true)
})
beforeEach(() => {
  asked.length = 0
})

const balance = 1_000_000

async function ask(input: unknown) {
  const payer = server.payer(balance)
  const response = await fetch(`${server.baseUrl}/moderations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'vendor/moderation', input }),
  })
  const body = Object(await response.json())
  const { balance: left, held } = payer.money()
  expect(held).toBe(0)
  const record = server.stores.usage.find(response.headers.get('x-request-id') ?? '')
  return { status: response.status, body, charged: balance - left, record }
}

test("the server's own threshold counts, and texts go in one call", async () => {
  answer = { results: [plain, violent], usage: { prompt_tokens: 7 } }
  const { body, charged, record } = await ask(['Hello.', 'I hit you.'])
  expect(asked).toEqual([['/v1/moderations', { model: 'served', input: ['Hello.', 'I hit you.'] }]])
  expect(body.model).toBe('vendor/moderation')
  expect(body.results[0]).toMatchObject({ flagged: false, categories: nothing, category_scores: harmless })
  expect(body.results[1]).toMatchObject(violent)
  expect([charged, record?.isEstimated]).toEqual([70, false])
})

test('the OpenAI SDK finds it under its usual name; uncounted tokens are estimated', async () => {
  answer = { results: [plain] }
  const payer = server.payer(balance)
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: payer.key, maxRetries: 0 })
  const { results } = await client.moderations.create({ model: 'omni-moderation-latest', input: 'Hello there' })
  expect(results[0]?.flagged).toBe(false)
  expect(payer.money()).toEqual({ balance: balance - 4 * 10, held: 0 })
})

test('older models without the newer categories are read too', async () => {
  const { illicit: _, 'illicit/violent': __, ...scores } = harmless
  answer = { results: [{ ...plain, category_scores: { ...scores, illicit: null } }] }
  expect((await ask('a')).body.results[0].category_scores.illicit).toBe(0)
})

test.each<[string, unknown]>([
  ['no results', {}],
  ['fewer results', { results: [] }],
  ['a result without scores', { results: [{ flagged: false, categories: nothing }] }],
  ['no verdict', { results: [{ ...plain, flagged: null }] }],
  ['flagged for a category of its own', { results: [{ ...plain, flagged: true, categories: { pii: true } }] }],
  ['categories of its own', { results: [{ flagged: false, categories: {}, category_scores: { pii: 0 } }] }],
  ['a score that is none', { results: [{ ...plain, category_scores: { ...harmless, hate: 'low' } }] }],
])('%s: an error, never harmless, and free', async (_, said) => {
  answer = said
  const { status, body, charged } = await ask('a')
  expect([status, body.error.code, body.results, charged]).toEqual([502, 'engine_failed', undefined, 0])
})

test('pictures are refused, as the endpoint is asked for texts alone', async () => {
  const { status, body } = await ask([{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }])
  expect([status, body.error.code, body.error.param]).toEqual([400, 'unsupported_content', 'input[0]'])
  expect(asked).toEqual([])
})
