/** Embeddings and rerank as their callers know them: for tests that try all endpoints. */
import type { JsonObject } from '../core/json.ts'
import { type ErrorDetails, readPlainError } from './dialect-endpoints.ts'

export interface TextsEndpoint {
  readonly path: string
  /** Bodies that are answered with 200 and together use most of what there is. */
  readonly bodies: readonly JsonObject[]
  /** A plain body. */
  readonly body: JsonObject
  readonly readError: (text: string) => ErrorDetails
  readonly streamEnd?: undefined
}

const texts = { model: 'embedder', input: ['one two', 'three'] }
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
    ],
    readError: readPlainError,
  },
]
