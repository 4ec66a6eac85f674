import { expect, test } from 'bun:test'
import type { Vectors } from '../../core/texts.ts'
import { toEmbeddings } from './dialect.ts'
import { parseEmbeddings } from './parse-request.ts'

function answer(result: Vectors, encoding_format: 'float' | 'base64') {
  const call = parseEmbeddings({ model: 'a "b"', input: ['x', 'y'], encoding_format })
  return JSON.parse([...toEmbeddings(call, { result, promptTokens: 7 })].join(''))
}

const result: Vectors = { type: 'vectors', dimensions: 2, values: Float32Array.of(0.5, -0.25, 1, 0) }

test('vectors are numbers, in the order of the texts', () => {
  expect(answer(result, 'float')).toEqual({
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: [0.5, -0.25] },
      { object: 'embedding', index: 1, embedding: [1, 0] },
    ],
    model: 'a "b"',
    usage: { prompt_tokens: 7, total_tokens: 7 },
  })
})

test('in base64 they are little-endian float32', () => {
  const { data } = answer(result, 'base64')
  expect(data).toEqual([
    { object: 'embedding', index: 0, embedding: 'AAAAPwAAgL4=' },
    { object: 'embedding', index: 1, embedding: 'AACAPwAAAAA=' },
  ])
})

test('both forms say the same numbers to the last bit, whatever they are', () => {
  const odd = [1e-45, -3.4028234663852886e38, 1 / 3, -0, 0, 1.17549435e-38, 16777216, 0.1, -1e-7, Math.PI]
  const many = Array.from({ length: 10_000 }, (_, index) => Math.sin(index) * 10 ** ((index % 75) - 37))
  const values = Float32Array.of(...odd, ...many)
  const vectors: Vectors = { type: 'vectors', dimensions: values.length / 2, values }
  const numbers: number[] = answer(vectors, 'float').data.flatMap(({ embedding }: { embedding: number[] }) => embedding)
  const bytes = answer(vectors, 'base64').data.map(({ embedding }: { embedding: string }) =>
    Buffer.from(embedding, 'base64'),
  )
  const decoded = new Float32Array(new Uint8Array(Buffer.concat(bytes)).buffer)
  expect(numbers.filter((number, index) => !Object.is(number, decoded[index]))).toEqual([])
  expect(numbers).toHaveLength(values.length)
  expect(numbers.every((number, index) => number === values[index])).toBe(true)
})

test('no piece is longer than one vector: others are served while a long answer is written', () => {
  const vectors: Vectors = { type: 'vectors', dimensions: 1024, values: new Float32Array(1024 * 64).fill(1 / 3) }
  const call = parseEmbeddings({ model: 'm', input: 'x' })
  const lengths = [...toEmbeddings(call, { result: vectors, promptTokens: 1 })].map((piece) => piece.length)
  expect(lengths).toHaveLength(66)
  expect(Math.max(...lengths)).toBeLessThan(1024 * 24 + 100)
})

test('scores instead of vectors are a bug', () => {
  const call = parseEmbeddings({ model: 'm', input: 'x' })
  const scores = { type: 'scores', values: Float32Array.of(1) } as const
  expect(() => [...toEmbeddings(call, { result: scores, promptTokens: 1 })]).toThrow('this is a bug')
})
