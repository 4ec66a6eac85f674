/** Models without a price serve unmetered accounts only, over real sockets. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { freePricing } from '../core/model.ts'
import { startTestServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer

beforeAll(() => {
  server = startTestServer({
    models: {
      'me/unpriced': { manifest: { pricing: undefined } },
      'me/unpriced-embedder': { manifest: { type: 'embedding', pricing: undefined } },
      'me/free': { manifest: { pricing: freePricing.chat } },
    },
  })
})

afterAll(() => server[Symbol.asyncDispose]())

const messages = [{ role: 'user', content: 'one two three' }]
const paths = {
  '/v1/chat/completions': { model: 'me/unpriced', messages },
  '/openai/v1/responses': { model: 'me/unpriced', input: 'one two three' },
  '/v1/embeddings': { model: 'me/unpriced-embedder', input: 'one two three' },
}

test.each(Object.entries(paths))(
  '%s refuses other accounts, rich or poor, with what the operator can do',
  async (path, body) => {
    for (const balanceNanoUsd of [0, 1_000_000_000]) {
      const payer = server.payer(balanceNanoUsd)
      const response = await server.post(path, body, { authorization: `Bearer ${payer.key}` })
      expect(response.status).toBe(403)
      expect(response.headers.get('retry-after')).toBeNull()
      expect(await response.json()).toMatchObject({
        error: {
          type: 'permission_error',
          code: 'model_not_priced',
          param: 'model',
          message: expect.stringMatching(/^Model 'me\/unpriced.*' has no price yet.*\[pricing\].*manifest/),
        },
      })
      expect(payer.money()).toEqual({ balance: balanceNanoUsd, held: 0 })
    }
  },
)

test('the messages dialect says so in its own shape', async () => {
  const { key } = server.payer(1_000_000_000)
  const body = { model: 'me/unpriced', max_tokens: 5, messages }
  const response = await server.post('/v1/messages', body, { authorization: `Bearer ${key}` })
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({
    type: 'error',
    error: { type: 'permission_error', code: 'model_not_priced' },
  })
})

test.each(Object.entries(paths))('%s serves the operator, for nothing', async (path, body) => {
  const response = await server.post(path, body)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-cost-usd')).toBe('0')
})

test('a price of zero is a price: the model is free for all', async () => {
  const { key } = server.payer(0)
  const body = { model: 'me/free', messages }
  const response = await server.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` })
  expect(response.status).toBe(200)
})

test('the list of models shows no prices where nobody has set them', async () => {
  const list = (await (await fetch(`${server.baseUrl}/models`)).json()) as { data: { id: string; pricing?: unknown }[] }
  const pricing = new Map(list.data.map((row) => [row.id, row.pricing]))
  expect(pricing.get('me/unpriced')).toBeUndefined()
  expect(pricing.get('me/free')).toEqual({ input: 0, output: 0, unit: '1M_tokens' })
})
