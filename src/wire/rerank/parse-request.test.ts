import { describe, expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { parseRerank } from './parse-request.ts'

function parse(fields: object) {
  return parseRerank({ model: 'a/b', query: 'q', documents: ['x', 'y'], ...fields })
}

/** Returns `[kind, code, param]` of the body's refusal. */
function refusal(fields: object) {
  const found = refusalOf(() => parse(fields))
  return found === undefined ? undefined : [found.kind, found.code, found.param]
}

const invalid = (param: string) => ['invalid_request', 'invalid_value', param]

test('a plain body asks for the scores of all documents, which are not shown', () => {
  expect(parse({})).toEqual({
    model: 'a/b',
    request: { query: 'q', documents: ['x', 'y'], documentTokens: undefined, refuseLong: false },
    shownDocuments: undefined,
    topN: 2,
  })
})

describe('documents', () => {
  const texts = (documents: unknown[], fields: object = {}) => parse({ documents, ...fields }).request.documents

  test('of an object the text counts, else the content, else all of it', () => {
    const both = { title: 'c', text: 'a', content: 'b' }
    expect(texts([both, { content: 'b', id: 1 }, { title: 'c', n: 5 }, { text: 7, content: null }, {}, ''])).toEqual([
      'a',
      'b',
      '{"title":"c","n":5}',
      '{"text":7,"content":null}',
      '{}',
      '',
    ])
  })

  test('or the fields that are to be ranked, those that are there', () => {
    const documents = [{ title: 'T', body: { a: 1 }, text: 'x' }, { body: 'B', title: null }, { text: 'x' }, 'plain']
    expect(texts(documents, { rank_fields: ['title', 'body', 'toString'] })).toEqual(['T\n{"a":1}', 'B', 'x', 'plain'])
    expect(texts(documents.slice(0, 1), { rank_fields: [] })).toEqual(['x'])
  })

  test('half characters become replacement characters, in the query too', () => {
    expect(texts(['a\ud800', { text: '\udc00b' }])).toEqual(['a\ufffd', '\ufffdb'])
    expect(parse({ query: 'a\ud800' }).request.query).toBe('a\ufffd')
  })

  test('they are shown as they were sent when that is asked for', () => {
    const documents = ['a\ud800', { text: 'b', id: 7 }]
    expect(parse({ documents, return_documents: true }).shownDocuments).toEqual(documents)
    expect(parse({ documents, return_documents: false }).shownDocuments).toBeUndefined()
  })

  test.each<[unknown, string]>([
    ['a', 'documents'],
    [{}, 'documents'],
    [[], 'documents'],
    [[null], 'documents[0]'],
    [['a', 5], 'documents[1]'],
    [['a', ['b']], 'documents[1]'],
    [['a', true], 'documents[1]'],
  ])('%j are refused', (documents, param) => {
    expect(refusal({ documents })).toEqual(invalid(param))
  })

  test('16384 are taken, one more is too many', () => {
    expect(parse({ documents: Array(16_384).fill('a') }).topN).toBe(16_384)
    expect(refusal({ documents: Array(16_385).fill('a') })).toEqual([
      'invalid_request',
      'too_many_documents',
      'documents',
    ])
  })
})

test.each<[string, unknown]>([
  ['query', ''],
  ['query', 5],
  ['query', ['a']],
  ['top_n', 0],
  ['top_n', -1],
  ['top_n', 1.5],
  ['top_n', '2'],
  ['return_documents', 'yes'],
  ['return_documents', 1],
  ['rank_fields', 'title'],
  ['rank_fields', [5]],
])('%s of %j is refused', (field, value) => {
  const [kind, code, param] = refusal({ [field]: value }) ?? []
  expect([kind, code]).toEqual(['invalid_request', 'invalid_value'])
  expect(param).toStartWith(field)
})

test.each(['query', 'documents'])('%s is required', (field) => {
  expect(refusal({ [field]: null })).toEqual(['invalid_request', 'missing_required_parameter', field])
})

test('null is the same as absent, and what nobody knows is ignored', () => {
  expect(parse({ top_n: null, return_documents: null, rank_fields: null })).toEqual(parse({}))
  expect(parse({ max_chunks_per_doc: 5, truncation: true, overlap_tokens: 9, priority: 3, made_up: [] })).toEqual(
    parse({}),
  )
})

test('the best few are asked for by either name; Cohere’s counts', () => {
  expect([parse({ top_k: 1 }).topN, parse({ top_n: 1, top_k: 2 }).topN]).toEqual([1, 1])
})

test('how much is read of a document is the caller’s to say', () => {
  expect(parse({ max_tokens_per_doc: 5, max_doc_length: 7 }).request).toMatchObject({ documentTokens: 5 })
  expect(parse({ max_doc_length: 7 }).request).toMatchObject({ documentTokens: 7 })
  expect(parse({ truncation: false }).request).toMatchObject({ refuseLong: true })
  for (const field of ['max_tokens_per_doc', 'max_doc_length', 'top_k']) {
    expect(refusal({ [field]: 0 })).toEqual(invalid(field))
  }
})

test('more results than there are documents are all of them', () => {
  expect(parse({ top_n: 1 }).topN).toBe(1)
  expect(parse({ top_n: 50 }).topN).toBe(50)
})
