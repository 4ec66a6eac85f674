/** Voyage's client over real sockets. */
import { afterAll, expect, test } from 'bun:test'
import { VoyageAIClient } from 'voyageai'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'

const server = startTestServer({ models: textModels })
afterAll(() => server[Symbol.asyncDispose]())

const voyage = new VoyageAIClient({ apiKey: server.keys.valid, environment: `${server.url}/v1`, maxRetries: 0 })
const input = ['one two', 'three']

test('vectors in every type', async () => {
  const float = await voyage.embed({ model: 'embedder', input, inputType: 'query', truncation: true })
  expect(float).toMatchObject({ object: 'list', model: 'embedder', usage: { totalTokens: 3 } })
  expect(float.data?.map(({ index, embedding }) => [index, Array.isArray(embedding)])).toEqual([
    [0, true],
    [1, true],
  ])
  for (const outputDtype of ['int8', 'uint8', 'binary', 'ubinary'] as const) {
    const { data } = await voyage.embed({ model: 'embedder', input, outputDtype, outputDimension: 8 })
    const lengths = data?.map(({ embedding }) => embedding?.length)
    expect(lengths).toEqual(outputDtype.endsWith('binary') ? [1, 1] : [8, 8])
  }
})

test('documents by their scores, as texts where they are asked for', async () => {
  const documents = ['a pear', 'red apple', 'red']
  const request = { model: 'reranker', query: 'red apple', documents }
  const answer = await voyage.rerank({ ...request, topK: 2, returnDocuments: true, truncation: true })
  expect(answer).toMatchObject({ object: 'list', model: 'reranker', usage: { totalTokens: 11 } })
  expect(answer.data).toEqual([
    { index: 1, relevanceScore: 1, document: 'red apple' },
    { index: 2, relevanceScore: 0.5, document: 'red' },
  ])
  const plain = await voyage.rerank(request)
  expect(plain.data?.map(({ index, document }) => [index, document])).toEqual([
    [1, undefined],
    [2, undefined],
    [0, undefined],
  ])
})

test('what is wrong is an error of its status', async () => {
  const failure = await voyage.embed({ model: 'no/such', input }).catch((thrown: unknown) => thrown)
  expect(failure).toMatchObject({ statusCode: 404, body: { error: { code: 'model_not_found' } } })
})
