/** POST /rerank over real sockets, as clients of several services send it. */
import { afterAll, describe, expect, test } from 'bun:test'
import { CohereClient } from 'cohere-ai'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'

const server = startTestServer({ models: textModels })
afterAll(() => server[Symbol.asyncDispose]())

const model = 'test/reranker'
const query = 'red apple'
const texts = ['a pear', 'the red apple tree', 'an apple', 'a red one']

async function rerank(fields: object = {}) {
  const response = await server.post('/v1/rerank', { model, query, documents: texts, ...fields })
  const body = Object(await response.json())
  return { status: response.status, body, headers: response.headers }
}

test('a plain call gets every document’s score, the best first', async () => {
  const { status, body, headers } = await rerank()
  expect(status).toBe(200)
  const results = [
    { index: 1, relevance_score: 1 },
    { index: 2, relevance_score: 0.5 },
    { index: 3, relevance_score: 0.5 },
    { index: 0, relevance_score: 0 },
  ]
  expect(body).toEqual({
    id: expect.stringMatching(/^rerank_\w{24}$/),
    object: 'list',
    model,
    results,
    data: results,
    usage: { prompt_tokens: 4 * 2 + 2 + 4 + 2 + 3, total_tokens: 19 },
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  })
  expect(headers.get('x-model-canonical')).toBe(model)
  expect(headers.get('x-cost-usd')).toBe('0.00000019')
})

test('a call as Jina’s and Voyage’s users send it', async () => {
  const documents = [{ text: 'a pear', id: 'p' }, { content: 'red apple', id: 'a' }, 'red']
  const { body } = await rerank({ model: 'reranker', documents, top_n: 2, return_documents: true, truncation: true })
  expect(body.results).toEqual([
    { index: 1, relevance_score: 1, document: { content: 'red apple', id: 'a' } },
    { index: 2, relevance_score: 0.5, document: { text: 'red' } },
  ])
})

describe('Cohere’s client', () => {
  const cohere = new CohereClient({ token: server.keys.valid, environment: server.url })

  test('ranks objects by the fields that are named', async () => {
    const documents = [
      { title: 'a pear', text: 'red apple' },
      { title: 'red', text: 'apple' },
    ]
    const answer = await cohere.rerank({ model, query, documents, rankFields: ['title'], returnDocuments: true })
    expect(answer.id).toStartWith('rerank_')
    // The client's types allow only texts.
    expect<unknown>(answer.results).toEqual([
      { index: 1, relevanceScore: 0.5, document: { title: 'red', text: 'apple' } },
      { index: 0, relevanceScore: 0, document: { title: 'a pear', text: 'red apple' } },
    ])
    expect(answer.meta).toMatchObject({ apiVersion: { version: '2' }, billedUnits: { searchUnits: 1 } })
  })

  test('takes the first of many', async () => {
    const answer = await cohere.rerank({ model, query, documents: texts, topN: 1 })
    expect(answer.results).toEqual([{ index: 1, relevanceScore: 1 }])
  })

  test('throws what is wrong', async () => {
    const failure = await cohere.rerank({ model, query: '', documents: texts }).catch((thrown: unknown) => thrown)
    expect(failure).toMatchObject({ statusCode: 400, body: { error: { code: 'invalid_value', param: 'query' } } })
  })
})

test('1000 documents are ranked, each once', async () => {
  const documents = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? 'red' : 'apple red'))
  const { body } = await rerank({ documents })
  const indices: number[] = body.results.map(({ index }: { index: number }) => index)
  expect(indices.slice(0, 3)).toEqual([1, 3, 5])
  expect(indices.toSorted((a, b) => a - b)).toEqual(documents.map((_, index) => index))
})

const refused: [string, object, number, string, string | null][] = [
  ['an empty query', { query: '' }, 400, 'invalid_value', 'query'],
  ['no documents', { documents: [] }, 400, 'invalid_value', 'documents'],
  ['1001 documents', { documents: Array(1001).fill('a') }, 400, 'too_many_documents', 'documents'],
  ['a document that is none', { documents: ['a', 5] }, 400, 'invalid_value', 'documents[1]'],
  ['no results', { top_n: 0 }, 400, 'invalid_value', 'top_n'],
  ['a model that embeds', { model: 'embedder' }, 400, 'model_type_mismatch', 'model'],
  ['a model that is not there', { model: 'rerank-v9' }, 404, 'model_not_found', 'model'],
]
test.each(refused)('%s: refused', async (_, fields, status, code, param) => {
  const answer = await rerank(fields)
  expect(answer.status).toBe(status)
  expect(answer.body).toMatchObject({ error: { code, param } })
})

test('what the engine refuses names the caller’s field', async () => {
  const error = { kind: 'invalid_request', code: 'context_length_exceeded', message: 'too long', param: 'query' }
  const { status, body } = await rerank({ query: JSON.stringify({ script: [{ error }] }) })
  expect(status).toBe(400)
  expect(body).toMatchObject({ error: { code: 'context_length_exceeded', param: 'query', message: 'too long' } })
})
