/** POST /embeddings over real sockets, by the stock client and by hand, with the fake engine. */
import { afterAll, describe, expect, test } from 'bun:test'
import { OpenAIEmbeddings } from '@langchain/openai'
import OpenAI, { BadRequestError } from 'openai'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'

const large = { manifest: { type: 'embedding', dimensions: 1024 } } as const
const server = startTestServer({ models: { ...textModels, 'test/large': large } })
afterAll(() => server[Symbol.asyncDispose]())

/** Bodies that the client sent, oldest first */
const sent: Record<string, unknown>[] = []
const spy: typeof fetch = Object.assign(
  (...[url, init]: Parameters<typeof fetch>) => {
    sent.push(JSON.parse(String(init?.body)))
    return fetch(url, init)
  },
  { preconnect: fetch.preconnect },
)
const client = new OpenAI({ apiKey: server.keys.valid, baseURL: server.baseUrl, fetch: spy, maxRetries: 0 })
const model = 'test/embedder'

async function vectors(request: Omit<OpenAI.EmbeddingCreateParams, 'model'> & { model?: string }) {
  return (await client.embeddings.create({ model, ...request })).data.map(({ embedding }) => embedding)
}

describe('the stock client', () => {
  test('asks for base64 unless told otherwise, and both forms are the same vectors to the last bit', async () => {
    const input = ['one two', 'three', 'four 🙂', 'ünï']
    const decoded = await vectors({ input })
    expect(sent.at(-1)?.encoding_format).toBe('base64')
    const numbers = await vectors({ input, encoding_format: 'float' })
    expect(sent.at(-1)?.encoding_format).toBe('float')
    expect(decoded).toEqual(numbers)
    expect(decoded.map((vector) => vector.length)).toEqual([8, 8, 8, 8])
    for (const vector of decoded) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  })

  test('gets a whole answer', async () => {
    const answer = await client.embeddings.create({ model: 'embedder', input: 'one two', encoding_format: 'float' })
    expect(answer).toMatchObject({
      object: 'list',
      model: 'embedder',
      data: [{ object: 'embedding', index: 0 }],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    })
  })

  test('gets the same vector for a text alone and among others', async () => {
    const together = await vectors({ input: ['one', 'two three', 'one'] })
    expect(together[0]).toEqual(together[2])
    expect(await vectors({ input: 'two three' })).toEqual(together.slice(1, 2))
  })

  test('may cut vectors, which are then of length 1 again', async () => {
    const [whole = []] = await vectors({ input: 'one two' })
    const [cut = []] = await vectors({ input: 'one two', dimensions: 3 })
    const length = Math.hypot(...whole.slice(0, 3))
    expect(cut).toHaveLength(3)
    for (const [index, value] of cut.entries()) expect(value).toBeCloseTo((whole[index] ?? 0) / length, 5)
    expect(await vectors({ input: 'one two', dimensions: 8 })).toEqual([whole])
  })

  test('may send token ids, of one text or of several', async () => {
    const several = await vectors({ input: [[1, 2, 3], [4]] })
    expect(several).toHaveLength(2)
    expect(await vectors({ input: [1, 2, 3] })).toEqual(several.slice(0, 1))
  })

  test('gets 1024 vectors of 1024 numbers, in both forms alike', async () => {
    const input = Array.from({ length: 1024 }, (_, index) => `text ${index}`)
    const decoded = await vectors({ model: 'test/large', input })
    const numbers = await vectors({ model: 'test/large', input, encoding_format: 'float' })
    expect(numbers).toHaveLength(1024)
    expect(Bun.deepEquals(decoded, numbers)).toBe(true)
    expect(await vectors({ model: 'test/large', input: input[1023] ?? '' })).toEqual(decoded.slice(1023))
  })

  const refused: [string, Partial<OpenAI.EmbeddingCreateParams>, number, string, string][] = [
    ['an empty text', { input: '' }, 400, 'invalid_value', 'input'],
    ['an empty text among others', { input: ['a', ''] }, 400, 'invalid_value', 'input[1]'],
    ['1025 texts', { input: Array(1025).fill('a') }, 413, 'too_many_inputs', 'input'],
    ['more dimensions than there are', { dimensions: 9 }, 400, 'invalid_value', 'dimensions'],
    ['no dimensions', { dimensions: 0 }, 400, 'invalid_value', 'dimensions'],
    ['a chat model', { model: 'fake' }, 400, 'model_type_mismatch', 'model'],
    ['a model that is not there', { model: 'text-embedding-9' }, 404, 'model_not_found', 'model'],
    ['too many token ids', { input: Array(513).fill(1) }, 400, 'context_length_exceeded', 'input'],
    ['too many of one text', { input: [[1], Array(513).fill(1)] }, 400, 'context_length_exceeded', 'input[1]'],
  ]
  test.each(refused)('is refused %s', async (_, request, status, code, param) => {
    const error = await client.embeddings.create({ model, input: 'a', ...request }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error instanceof BadRequestError).toBe(status === 400)
    expect(error).toMatchObject({ status, code, param, type: 'invalid_request_error' })
  })
})

describe('the engine’s own refusals', () => {
  const error = {
    kind: 'invalid_request',
    code: 'context_length_exceeded',
    message: "'input[0]' is too long, 'input[0]' it is",
    param: 'input[0]',
  }
  const script = JSON.stringify({ script: [{ error }] })

  test('name the input as the caller does', async () => {
    const refusal = (input: string | string[]) => vectors({ input }).catch((thrown: unknown) => thrown)
    const one = await refusal(script)
    expect(one).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'input' })
    expect(String(one)).toContain("'input' is too long, 'input' it is")
    const several = await refusal([script, 'a'])
    expect(several).toMatchObject({ status: 400, param: 'input[0]' })
    expect(String(several)).toContain("'input[0]' is too long")
  })
})

test('LangChain sends texts as they are, in batches, and takes what comes', async () => {
  const embeddings = new OpenAIEmbeddings({
    model,
    apiKey: server.keys.valid,
    batchSize: 2,
    maxConcurrency: 1,
    configuration: { baseURL: server.baseUrl, fetch: spy },
  })
  const texts = ['one two', 'three\nfour', 'five']
  sent.length = 0
  const documents = await embeddings.embedDocuments(texts)
  expect(sent).toEqual([
    { model, input: ['one two', 'three four'], encoding_format: 'base64' },
    { model, input: ['five'], encoding_format: 'base64' },
  ])
  expect(documents).toEqual(await vectors({ input: ['one two', 'three four', 'five'], encoding_format: 'float' }))
  expect([await embeddings.embedQuery('five')]).toEqual(documents.slice(2))
  expect(await embeddings.embedQuery('').catch((thrown: unknown) => thrown)).toMatchObject({
    status: 400,
    param: 'input',
  })
})

test('the answer says which model it was, what it cost, and leaves a line without any text', async () => {
  const payer = server.payer(1_000)
  const response = await fetch(`${server.url}/openai/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'embedder', input: ['secret words', 'here'], input_type: 'query' }),
  })
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json;charset=utf-8',
    'x-model-canonical': 'test/embedder',
    'x-cost-usd': '0.00000003',
    'x-balance-usd': '0.00000097',
    'access-control-allow-origin': '*',
  })
  const line = await server.line(({ requestId }) => requestId === response.headers.get('x-request-id'))
  expect(line).toMatchObject({
    path: '/openai/v1/embeddings',
    status: 200,
    accountId: payer.accountId,
    keyId: payer.keyId,
    model: 'test/embedder',
    isStream: false,
    used: { promptTokens: 3, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
    costNanoUsd: 30,
    finish: 'stop',
    queuedMs: expect.any(Number),
    runningMs: expect.any(Number),
  })
  expect(JSON.stringify(server.lines)).not.toContain('secret')
})

test('an operator sets how many texts and documents a request may have, in every dialect', async () => {
  const config = { textLimits: { embeddingInputs: 2_048, rerankDocuments: 1_001 } }
  await using raised = startTestServer({ models: textModels, config })
  const post = async (path: string, body: object) => {
    const response = await fetch(new URL(path, raised.baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${raised.keys.valid}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  const many = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`)
  const embedder = { model: 'embedder', input_type: 'search_query' }
  const reranker = { model: 'reranker', query: 'a' }
  const cases: [path: string, setting: string, status: number, most: number, make: (texts: string[]) => object][] = [
    ['/v1/embeddings', 'embedding-inputs', 413, 2_048, (input) => ({ ...embedder, input })],
    ['/v1/embed', 'embedding-inputs', 413, 2_048, (texts) => ({ ...embedder, texts })],
    ['/v2/embed', 'embedding-inputs', 413, 2_048, (texts) => ({ ...embedder, texts })],
    ['/api/embed', 'embedding-inputs', 413, 2_048, (input) => ({ ...embedder, input })],
    ['/v1/rerank', 'rerank-documents', 400, 1_001, (documents) => ({ ...reranker, documents })],
    ['/v2/rerank', 'rerank-documents', 400, 1_001, (documents) => ({ ...reranker, documents })],
  ]
  for (const [path, setting, status, most, make] of cases) {
    expect((await post(path, make(many(most)))).status).toBe(200)
    const refused = await post(path, make(many(most + 1)))
    expect([path, refused.status]).toEqual([path, status])
    expect(refused.text).toContain(setting)
    expect(refused.text).toContain(`${most}`)
  }
})
