import { expect, test } from 'bun:test'
import { alignWords, wordErrorRate } from './word-errors.ts'

const align = (reference: string, hypothesis: string) =>
  alignWords(reference.split(' ').filter(Boolean), hypothesis.split(' ').filter(Boolean))

test.each([
  ['a b c', 'a b c', [0, 0, 0]],
  ['a b c', 'a x c', [1, 0, 0]],
  ['a b c', 'a c', [0, 1, 0]],
  ['a b c', 'a b b c', [0, 0, 1]],
  ['a b c d', 'x a c e f', [3, 0, 1]],
  ['a b c d e', 'b c d e f', [0, 1, 1]],
  ['a b', '', [0, 2, 0]],
  ['', 'a b', [0, 0, 2]],
  ['', '', [0, 0, 0]],
])('%j heard as %j has as many substitutions, deletions and insertions as %j', (reference, hypothesis, counts) => {
  const { substitutions, deletions, insertions } = align(reference, hypothesis)
  expect([substitutions, deletions, insertions]).toEqual(counts)
})

test('the alignment tells which words are the same', () => {
  expect(align('the cat sat down', 'a the cat sits down').same).toEqual([
    { reference: 0, hypothesis: 1 },
    { reference: 1, hypothesis: 2 },
    { reference: 3, hypothesis: 4 },
  ])
})

test('the rate of several texts is that of all their words', () => {
  expect(wordErrorRate([align('a', 'b'), align('a b c', 'a b c')])).toBe(0.25)
  expect(wordErrorRate([align('a', 'b c d')])).toBe(3)
  expect(wordErrorRate([])).toBe(0)
})
