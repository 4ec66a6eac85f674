import { expect, test } from 'bun:test'
import { toRerank } from './dialect.ts'
import { parseRerank } from './parse-request.ts'

const documents = ['a', { text: 'b', id: 7 }, 'c', { title: 'd' }]

function answer(scores: readonly number[], fields: object = {}) {
  const call = parseRerank({ model: 'm', query: 'q', documents, ...fields })
  const result = { type: 'scores', values: Float32Array.from(scores) } as const
  return JSON.parse(toRerank(call, { result, promptTokens: 9 }, { newId: (prefix) => `${prefix}1` }).join(''))
}

test('the best come first, without the documents', () => {
  const results = [
    { index: 1, relevance_score: 1 },
    { index: 3, relevance_score: 0.5 },
    { index: 0, relevance_score: 0.25 },
    { index: 2, relevance_score: 0 },
  ]
  expect(answer([0.25, 1, 0, 0.5])).toEqual({
    id: 'rerank_1',
    object: 'list',
    model: 'm',
    results,
    data: results,
    usage: { prompt_tokens: 9, total_tokens: 9 },
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  })
})

test('of equal ones the one that was sent first, also among a thousand', () => {
  const indices = (results: { index: number }[]) => results.map(({ index }) => index)
  expect(indices(answer([0.5, 1, 0.5, 1]).results)).toEqual([1, 3, 0, 2])
  const many = Array.from({ length: 1000 }, (_, index) => index % 3)
  const { results } = answer(many, { documents: many.map(String) })
  const expected = [2, 1, 0].flatMap((score) => many.flatMap((value, index) => (value === score ? [index] : [])))
  expect(indices(results)).toEqual(expected)
})

test('documents come back as they were sent when that is asked for', () => {
  const { results, data } = answer([4, 3, 2, 1], { return_documents: true })
  const shown = (rows: { document: unknown }[]) => rows.map(({ document }) => document)
  expect(shown(results)).toEqual([{ text: 'a' }, { text: 'b', id: 7 }, { text: 'c' }, { title: 'd' }])
  expect(shown(data)).toEqual(['a', { text: 'b', id: 7 }, 'c', { title: 'd' }])
})

test('top_n keeps the best, and all of them where it is larger', () => {
  expect(answer([0, 1, 0.5, 0.25], { top_n: 2 }).results).toEqual([
    { index: 1, relevance_score: 1 },
    { index: 2, relevance_score: 0.5 },
  ])
  expect(answer([0, 1, 0.5, 0.25], { top_n: 9 }).results).toHaveLength(4)
})

test('vectors instead of scores are a bug', () => {
  const call = parseRerank({ model: 'm', query: 'q', documents })
  const result = { type: 'vectors', dimensions: 1, values: Float32Array.of(1) } as const
  expect(() => toRerank(call, { result, promptTokens: 9 }, { newId: String })).toThrow('this is a bug')
})
