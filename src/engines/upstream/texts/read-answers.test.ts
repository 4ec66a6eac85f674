import { describe, expect, test } from 'bun:test'
import { batchesOf, textTokensLimit } from './batches.ts'
import { readScores } from './read-scores.ts'
import { readVectors } from './read-vectors.ts'

const base64 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64')

describe('vectors', () => {
  test('come in the order of their indexes, as numbers or in base64', () => {
    const data = [
      { index: 1, embedding: base64(0.5, -1) },
      { index: 0, embedding: [0.1, 2] },
    ]
    const { vectors, promptTokens } = readVectors({ data, usage: { prompt_tokens: 7, total_tokens: 7 } }, 2)
    expect(vectors.map((vector) => [...vector])).toEqual([
      [Math.fround(0.1), 2],
      [0.5, -1],
    ])
    expect(promptTokens).toBe(7)
  })

  test('without indexes they are in the order of the texts', () => {
    const { vectors } = readVectors({ data: [{ embedding: [1] }, { embedding: [2] }] }, 2)
    expect(vectors.map(([first]) => first)).toEqual([1, 2])
  })

  test.each<[what: string, answer: unknown]>([
    ['nothing', null],
    ['a list', []],
    ['too few', { data: [{ index: 0, embedding: [1] }] }],
    ['too many', { data: [0, 1, 2].map((index) => ({ index, embedding: [1] })) }],
    ['one index twice', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }],
    ['an index beyond', { data: [0, 2].map((index) => ({ index, embedding: [1] })) }],
    ['an index that is none', { data: [0, 0.5].map((index) => ({ index, embedding: [1] })) }],
    ['a text as an index', { data: ['0', '1'].map((index) => ({ index, embedding: [1] })) }],
    ['empty vectors', { data: [0, 1].map((index) => ({ index, embedding: [] })) }],
    ['different lengths', { data: [0, 1].map((index) => ({ index, embedding: Array(index + 1).fill(1) })) }],
    ['no vector', { data: [0, 1].map((index) => ({ index })) }],
    ['null in a vector', { data: [0, 1].map((index) => ({ index, embedding: [null] })) }],
    ['more than float32 can say', { data: [0, 1].map((index) => ({ index, embedding: [1e300] })) }],
    ['NaN in base64', { data: [0, 1].map((index) => ({ index, embedding: base64(Number.NaN) })) }],
    ['cut base64', { data: [0, 1].map((index) => ({ index, embedding: 'AAAA' })) }],
  ])('%s is refused', (_, answer) => {
    expect(() => readVectors(answer, 2)).toThrow('the server answered with')
  })

  test.each([
    undefined,
    null,
    {},
    { prompt_tokens: -1 },
    { prompt_tokens: 0 },
    { prompt_tokens: 1.5 },
    { prompt_tokens: '7' },
    { prompt_tokens: 1e18 },
  ])('usage that says nothing that can be: %j', (usage) => {
    expect(readVectors({ data: [{ embedding: [1] }], usage }, 1).promptTokens).toBeUndefined()
  })
})

describe('scores', () => {
  test('of vLLM and llama-server stand in results, by index', () => {
    const results = [
      { index: 1, relevance_score: 0.9, document: { text: 'b' } },
      { index: 0, relevance_score: -3 },
    ]
    const { scores, promptTokens } = readScores({ results, usage: { total_tokens: 5 } }, 2)
    expect([...scores]).toEqual([-3, Math.fround(0.9)])
    expect(promptTokens).toBe(5)
  })

  test('of SGLang are a list, and each counts its own tokens', () => {
    const list = [
      { index: 1, score: 2, document: 'b', meta_info: { prompt_tokens: 4 } },
      { index: 0, score: 1, document: 'a', meta_info: { prompt_tokens: 3 } },
    ]
    expect(readScores(list, 2)).toEqual({ scores: Float32Array.of(1, 2), promptTokens: 7 })
    expect(readScores([{ ...list[0], index: 0, meta_info: {} }], 1).promptTokens).toBeUndefined()
  })

  test.each<[what: string, answer: unknown]>([
    ['nothing', {}],
    ['too few', { results: [{ index: 0, relevance_score: 1 }] }],
    ['one twice', { results: [0, 0].map((index) => ({ index, relevance_score: 1 })) }],
    ['no score', { results: [0, 1].map((index) => ({ index })) }],
    ['a score that is none', { results: [0, 1].map((index) => ({ index, relevance_score: '1' })) }],
    ['a score beyond float32', { results: [0, 1].map((index) => ({ index, relevance_score: 1e300 })) }],
  ])('%s is refused', (_, answer) => {
    expect(() => readScores(answer, 2)).toThrow('the server answered with')
  })
})

describe('batches', () => {
  test('end at 128 texts and at 250,000 tokens; a longer text is alone', () => {
    expect(batchesOf(Array(300).fill(1))).toEqual([
      [0, 128],
      [128, 256],
      [256, 300],
    ])
    expect(batchesOf([200_000, 50_000, 1, 900_000, 2])).toEqual([
      [0, 2],
      [2, 3],
      [3, 4],
      [4, 5],
    ])
    expect(batchesOf([])).toEqual([])
  })

  test('a text of any language has no more tokens than are held for', () => {
    expect(textTokensLimit('')).toBe(8)
    expect(textTokensLimit('日本')).toBe(11)
  })
})
