/** Cohere's endpoints over real sockets, as its clients send it. */
import { afterAll, describe, expect, test } from 'bun:test'
import { CohereClient, CohereClientV2 } from 'cohere-ai'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'

const server = startTestServer({ models: textModels })
afterAll(() => server[Symbol.asyncDispose]())

const options = { token: server.keys.valid, environment: server.url, maxRetries: 0 }
const first = new CohereClient(options)
const second = new CohereClientV2(options)

const texts = ['one two', 'three']
const model = 'embedder'
const query = 'red apple'
const documents = ['a pear', 'the red apple tree', 'an apple']

async function plainVectors(inputs: unknown, fields: object = {}): Promise<number[][]> {
  const response = await server.post('/v1/embeddings', { model, input: inputs, ...fields })
  return Object(await response.json()).data.map(({ embedding }: { embedding: number[] }) => embedding)
}

describe('rerank', () => {
  test('the second version’s results have nothing but scores', async () => {
    const answer = await second.rerank({ model: 'reranker', query, documents, topN: 2, maxTokensPerDoc: 100 })
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^rerank_/),
      results: [
        { index: 1, relevanceScore: 1 },
        { index: 2, relevanceScore: 0.5 },
      ],
      meta: { apiVersion: { version: '2' }, billedUnits: { searchUnits: 1 } },
    })
    const response = await server.post('/v2/rerank', { model: 'reranker', query, documents })
    expect(Object.keys(Object(await response.json()))).toEqual(['id', 'results', 'meta'])
    expect(response.headers.get('x-cost-usd')).toBe('0.00000014')
  })
})

describe('embed', () => {
  test('of the second version gives vectors by type, float32 unless others are asked for', async () => {
    const answer = await second.embed({ model, texts, inputType: 'search_document' })
    expect(answer).toMatchObject({ texts, meta: { apiVersion: { version: '2' }, billedUnits: { inputTokens: 3 } } })
    expect(answer.id).toStartWith('embed_')
    expect(answer.embeddings).toEqual({ float: await plainVectors(texts, { input_type: 'document' }) })
  })

  test('gives all types at once, each the same numbers', async () => {
    const embeddingTypes = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'] as const
    const { embeddings } = await second.embed({
      model,
      inputs: texts.map((text) => ({ content: [{ type: 'text', text }] })),
      inputType: 'search_query',
      embeddingTypes: [...embeddingTypes],
      outputDimension: 8,
    })
    const asked = { input_type: 'query', dimensions: 8 }
    for (const type of embeddingTypes) {
      expect<unknown>(embeddings[type]).toEqual(await plainVectors(texts, { ...asked, embedding_type: type }))
    }
    expect(Object.keys(embeddings).toSorted()).toEqual(embeddingTypes.toSorted())
    expect(embeddings.ubinary?.map((bytes) => bytes.length)).toEqual([1, 1])
  })

  test('of the first version gives a plain array, or vectors by type', async () => {
    const plain = await first.embed({ model, texts })
    expect(plain).toMatchObject({ responseType: 'embeddings_floats', texts, meta: { apiVersion: { version: '1' } } })
    expect<unknown>(plain.embeddings).toEqual(await plainVectors(texts))
    const typed = await first.embed({ model, texts, embeddingTypes: ['int8'], inputType: 'clustering' })
    expect(typed.responseType).toBe('embeddings_by_type')
    expect<unknown>(typed.embeddings).toEqual({ int8: await plainVectors(texts, { output_dtype: 'int8' }) })
  })
})

describe('errors', () => {
  const failureOf = (request: Promise<unknown>) => request.catch((thrown: unknown) => thrown)

  test('are a message, in both versions of embed and the second of rerank', async () => {
    const failures = [
      await failureOf(second.embed({ model, texts: [''], inputType: 'search_query' })),
      await failureOf(first.embed({ model, texts: [''] })),
      await failureOf(second.rerank({ model: 'reranker', query: '', documents })),
    ]
    for (const failure of failures) {
      expect(failure).toMatchObject({
        statusCode: 400,
        body: { id: expect.stringMatching(/^req_/), message: expect.any(String), code: 'invalid_value' },
      })
    }
  })

  test.each<[string, object, number, string, string]>([
    ['a model that is not there', { model: 'no/such' }, 404, 'model_not_found', 'model'],
    ['more dimensions than there are', { output_dimension: 9_999 }, 400, 'invalid_value', 'output_dimension'],
    ['a text that the engine refuses', { texts: [refusedText()] }, 400, 'context_length_exceeded', 'texts[0]'],
  ])('%s is named in the caller’s words', async (_, fields, status, code, param) => {
    const response = await server.post('/v2/embed', { model, texts, input_type: 'search_query', ...fields })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code, param })
  })

  test('without a key too, and of other methods', async () => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${server.url}/v2/rerank`, { method })
      expect(response.status).toBe(method === 'GET' ? 405 : 401)
      expect(Object(await response.json()).message).toBeString()
    }
  })
})

function refusedText(): string {
  const error = { kind: 'invalid_request', code: 'context_length_exceeded', message: 'too long', param: 'input[0]' }
  return JSON.stringify({ script: [{ error }] })
}
