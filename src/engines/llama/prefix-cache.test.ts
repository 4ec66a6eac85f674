import { expect, test } from 'bun:test'
import { type HeldPrefix, longestPrefix, mayContinueInPlace } from './prefix-cache.ts'

const rules = { shareCache: false, canCut: true }

function held(text: string, accountId = 'a'): HeldPrefix {
  return { tokens: tokens(text), accountId }
}

/** One token a character. */
function tokens(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

test('finds the prefix that shares most with the prompt', () => {
  const prefixes = [held('other'), held('hello'), held('hello wor'), held('')]
  expect(longestPrefix(prefixes, tokens('hello world'), 'a', rules)).toEqual({ index: 2, reuse: 9 })
  expect(longestPrefix(prefixes, tokens('nothing'), 'a', rules)).toBeUndefined()
})

test('always leaves one token to decode', () => {
  expect(longestPrefix([held('hello')], tokens('hello'), 'a', rules)).toEqual({ index: 0, reuse: 4 })
})

test('never takes another account’s prefix unless the operator shares the cache', () => {
  expect(longestPrefix([held('hello', 'b')], tokens('hello!'), 'a', rules)).toBeUndefined()
  expect(longestPrefix([held('hello', 'b')], tokens('hello!'), 'a', { ...rules, shareCache: true })?.reuse).toBe(5)
})

test('recurrent memory is continued whole or not at all', () => {
  const recurrent = { shareCache: false, canCut: false }
  expect(longestPrefix([held('hello')], tokens('hello world'), 'a', recurrent)?.reuse).toBe(5)
  expect(longestPrefix([held('hello there')], tokens('hello world'), 'a', recurrent)).toBeUndefined()
})

test('a conversation is continued in place, one that only begins alike is not destroyed', () => {
  expect(mayContinueInPlace(100, 100)).toBe(true)
  expect(mayContinueInPlace(100, 50)).toBe(true)
  expect(mayContinueInPlace(100, 49)).toBe(false)
})
