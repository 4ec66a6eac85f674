import { expect, test } from 'bun:test'
import { jsonPieces } from './json-pieces.ts'

const tokens = Array.from({ length: 1_000 }, (_, index) => ({ token: `"${index}`, bytes: [1, 2] }))

test.each([
  ['a text', 'a"b'],
  ['nothing', null],
  ['empty ones', [{}, [], '']],
  ['fields that are absent', { a: undefined, b: [undefined, 1], c: undefined }],
  ['a long array', Array.from({ length: 101 }, (_, index) => index)],
  ['an answer', { choices: [{ index: 0, text: 'ä', logprobs: { content: tokens } }], usage: { total: 1.5 } }],
])('%s is written as JSON', (_, value) => {
  expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
})

test('an iterator is written as an array', () => {
  const lists = { none: [].values(), some: [{ a: 1, of: [1, 2].values() }, { a: 'b' }].values() }
  expect([...jsonPieces(lists)].join('')).toBe('{"none":[],"some":[{"a":1,"of":[1,2]},{"a":"b"}]}')
})

test('a long array comes in many pieces', () => {
  const lengths = [...jsonPieces({ content: tokens })].map(({ length }) => length)
  expect(Math.max(...lengths)).toBeLessThan(JSON.stringify(tokens).length / 10)
})
