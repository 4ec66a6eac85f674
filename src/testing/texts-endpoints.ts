/** Embeddings and rerank endpoints, for tests that try all endpoints. */
import { expect } from 'bun:test'
import type { JsonObject } from '../core/json.ts'
import { checkDetails, type ErrorDetails, readPlainError } from './dialect-endpoints.ts'

export interface TextsEndpoint {
  readonly path: string
  /** Bodies that are answered with 200 and together use most fields. */
  readonly bodies: readonly JsonObject[]
  /** A plain body. */
  readonly body: JsonObject
  readonly readError: (text: string) => ErrorDetails
  readonly streamEnd?: undefined
}

const texts = { model: 'embedder', input: ['one two', 'three'] }
const cohereTexts = { model: 'embedder', texts: ['one two', 'three'], input_type: 'search_document' }
const documents = { model: 'reranker', query: 'red apple', documents: ['a pear', 'a red apple'] }

export const textsEndpoints: readonly TextsEndpoint[] = [
  {
    path: '/v1/embeddings',
    body: texts,
    bodies: [
      texts,
      { model: 'test/embedder', input: 'Hello 🙂', encoding_format: 'base64', dimensions: 4, user: 'ann' },
      { model: 'embedder', input: [1, 2, 3], encoding_format: 'float', input_type: 'search_query' },
      { model: 'embedder', input: [[1, 2], [3]], task: 'retrieval.passage', normalized: true, truncate: 'END' },
      { model: 'embedder', input: [' ', 'a\u0000b', 'two\nlines'], prompt_name: 'query', output_dtype: 'float' },
      { model: 'embedder', input: [{ text: 'a' }], embedding_type: ['binary'], output_dimension: 4, truncation: true },
    ],
    readError: readPlainError,
  },
  {
    path: '/v1/rerank',
    body: documents,
    bodies: [
      documents,
      { ...documents, documents: [{ text: 'a red one', id: 7 }, 'an apple', ''], top_n: 2, return_documents: true },
      {
        ...documents,
        documents: [{ title: 'Apples', body: { red: true } }, { content: 'a' }, {}],
        rank_fields: ['title', 'body'],
        max_chunks_per_doc: 1,
      },
      { ...documents, top_k: 1, truncation: false, max_tokens_per_doc: 50 },
    ],
    readError: readPlainError,
  },
  {
    path: '/v1/embed',
    body: { model: 'embedder', texts: ['one two', 'three'] },
    bodies: [
      { model: 'embedder', texts: ['one two', 'three'] },
      {
        model: 'embedder',
        texts: ['a'],
        embedding_types: ['float', 'int8'],
        input_type: 'clustering',
        truncate: 'END',
      },
    ],
    readError: readCohereError,
  },
  {
    path: '/v2/embed',
    body: cohereTexts,
    bodies: [
      cohereTexts,
      { ...cohereTexts, embedding_types: ['base64', 'uint8', 'binary', 'ubinary'], output_dimension: 4, priority: 1 },
      {
        model: 'embedder',
        input_type: 'search_query',
        inputs: [{ content: [{ type: 'text', text: 'a' }] }, { content: [{ type: 'text', text: 'b' }] }],
        truncate: 'NONE',
        max_tokens: 5,
      },
    ],
    readError: readCohereError,
  },
  {
    path: '/v2/rerank',
    body: documents,
    bodies: [documents, { ...documents, top_n: 1, max_tokens_per_doc: 9, return_documents: true, rank_fields: ['a'] }],
    readError: readCohereError,
  },
]

function readCohereError(text: string): ErrorDetails {
  const { id, docs_url, ...details } = JSON.parse(text)
  expect(id).toMatch(/^req_\w{24}$/)
  expect(docs_url).toBeString()
  expect(Object.keys(details)).toEqual(['message', 'param', 'code'])
  return checkDetails(details)
}
