import { expect, test } from 'bun:test'
import { isSayable, withoutLoops } from './invented-text.ts'

function left(text: string): string {
  return withoutLoops(text.split(' ').map((word) => ({ text: word })))
    .map(({ text: word }) => word)
    .join(' ')
}

test('a phrase that repeats itself over and over is left once', () => {
  expect(left(`We begin ${'thank you for watching '.repeat(8)}and end`)).toBe('We begin thank you for watching and end')
  expect(left('no '.repeat(40).trim())).toBe('no')
  expect(left('So, so. So! so so so so so so so so so there')).toBe('So, there')
})

test('what people repeat stays', () => {
  for (const text of [
    'no no no no no no',
    'we will fight on the beaches we will fight on the landing grounds we will fight in the fields',
    'one two one two one two one two one two',
    'tick tock tick tock tick tock',
  ])
    expect(left(text)).toBe(text)
})

test('a loop that breaks off in the middle of its phrase leaves the rest', () => {
  expect(left('a b c a b c a b c a b c a b')).toBe('a b c a b')
})

test('more text than somebody can say in the time is invented', () => {
  expect(isSayable('Thanks for watching!', 0.2)).toBe(false)
  expect(isSayable('Yes.', 0.2)).toBe(true)
  expect(isSayable('Thanks for watching!', 0.9)).toBe(true)
})
