import { expect, test } from 'bun:test'
import { type CachedSequence, choosePrefix, leastRecentlyUsedIdle } from './prefix-cache.ts'

const rules = { shareCache: false, canCut: true }

function sequence(text: string, options: Partial<CachedSequence> = {}): CachedSequence {
  return { tokens: tokens(text), accountId: 'a', busy: false, lastUsedStep: 1, ...options }
}

/** One token a character. */
function tokens(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

test('continues the conversation that the prompt extends, in place', () => {
  const sequences = [sequence('other'), sequence('hello wor')]
  expect(choosePrefix(sequences, tokens('hello world'), 'a', rules)).toEqual({ target: 1, source: 1, reuse: 9 })
})

test('always leaves one token to decode', () => {
  const sequences = [sequence('hello')]
  expect(choosePrefix(sequences, tokens('hello'), 'a', rules)).toEqual({ target: 0, source: 0, reuse: 4 })
})

test('copies a shared beginning instead of destroying a long conversation', () => {
  const sequences = [sequence('system: a very long conversation'), sequence('', { lastUsedStep: 0 })]
  expect(choosePrefix(sequences, tokens('system: b'), 'a', rules)).toEqual({ target: 1, source: 0, reuse: 8 })
})

test('copies from a sequence that is running', () => {
  const sequences = [sequence('system: busy', { busy: true }), sequence('')]
  expect(choosePrefix(sequences, tokens('system: new'), 'a', rules)).toEqual({ target: 1, source: 0, reuse: 8 })
})

test('never takes another account’s prefix unless the operator shares the cache', () => {
  const sequences = [sequence('hello', { accountId: 'b' }), sequence('', { lastUsedStep: 0 })]
  expect(choosePrefix(sequences, tokens('hello!'), 'a', rules)?.reuse).toBe(0)
  expect(choosePrefix(sequences, tokens('hello!'), 'a', { ...rules, shareCache: true })?.reuse).toBe(5)
})

test('without a match takes an empty sequence, else the least recently used', () => {
  const used = [sequence('x', { lastUsedStep: 5 }), sequence('y', { lastUsedStep: 3 })]
  expect(choosePrefix(used, tokens('hello'), 'a', rules)?.target).toBe(1)
  expect(choosePrefix([...used, sequence('', { lastUsedStep: 9 })], tokens('hello'), 'a', rules)?.target).toBe(2)
})

test('recurrent memory is continued whole or not at all', () => {
  const recurrent = { shareCache: false, canCut: false }
  expect(choosePrefix([sequence('hello')], tokens('hello world'), 'a', recurrent)?.reuse).toBe(5)
  expect(choosePrefix([sequence('hello there')], tokens('hello world'), 'a', recurrent)?.reuse).toBe(0)
  expect(
    choosePrefix([sequence('hello', { busy: true }), sequence('')], tokens('hello world'), 'a', recurrent)?.reuse,
  ).toBe(0)
})

test('finds nothing when every sequence is busy', () => {
  expect(choosePrefix([sequence('hello', { busy: true })], tokens('hello'), 'a', rules)).toBeUndefined()
  expect(leastRecentlyUsedIdle([sequence('hello', { busy: true })])).toBeUndefined()
})
