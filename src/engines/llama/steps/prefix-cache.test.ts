import { expect, test } from 'bun:test'
import { type HeldPrefix, longestPrefix, MediaUnits, mayContinueInPlace } from './prefix-cache.ts'

const rules = { shareCache: false, isRecurrent: false, slidingWindowTokens: 0 }

function held(text: string, accountId = 'a', windowStart = 0): HeldPrefix {
  return { units: tokens(text), accountId, windowStart }
}

/** One token a character. */
function tokens(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

test('finds the prefix that shares most with the prompt', () => {
  const prefixes = [held('other'), held('hello'), held('hello wor'), held('')]
  expect(longestPrefix(prefixes, tokens('hello world'), 'a', rules)).toEqual({ held: held('hello wor'), reuse: 9 })
  expect(longestPrefix(prefixes, tokens('nothing'), 'a', rules)).toBeUndefined()
})

test('always leaves one token to decode', () => {
  expect(longestPrefix([held('hello')], tokens('hello'), 'a', rules)?.reuse).toBe(4)
})

test('never takes another account’s prefix unless the operator shares the cache', () => {
  expect(longestPrefix([held('hello', 'b')], tokens('hello!'), 'a', rules)).toBeUndefined()
  expect(longestPrefix([held('hello', 'b')], tokens('hello!'), 'a', { ...rules, shareCache: true })?.reuse).toBe(5)
})

test('recurrent memory is continued whole or not at all', () => {
  const recurrent = { ...rules, isRecurrent: true }
  expect(longestPrefix([held('hello')], tokens('hello world'), 'a', recurrent)?.reuse).toBe(5)
  expect(longestPrefix([held('hello there')], tokens('hello world'), 'a', recurrent)).toBeUndefined()
})

test('behind a sliding window a prefix is cut back only as far as the window reaches', () => {
  const window = { ...rules, slidingWindowTokens: 4 }
  const reuse = (windowStart: number, prompt: string) =>
    longestPrefix([held('0123456789', 'a', windowStart)], tokens(prompt), 'a', window)?.reuse
  // The next token, at 10, attends to 7, 8 and 9.
  expect(reuse(7, '0123456789!')).toBe(10)
  expect(reuse(6, '012345678!')).toBe(9)
  expect(reuse(7, '012345678!')).toBeUndefined()
  expect(reuse(0, '01!')).toBe(2)
  expect(reuse(1, '01!')).toBeUndefined()
})

test('a shorter prefix that can be continued is better than a longer one that cannot', () => {
  const window = { ...rules, slidingWindowTokens: 4 }
  const prefixes = [held('hello', 'a', 1), held('hello world', 'a', 7)]
  expect(longestPrefix(prefixes, tokens('hello wool'), 'a', window)?.reuse).toBe(5)
})

test('a conversation is continued in place, one that only begins alike is not destroyed', () => {
  expect(mayContinueInPlace(100, 100)).toBe(true)
  expect(mayContinueInPlace(100, 50)).toBe(true)
  expect(mayContinueInPlace(100, 49)).toBe(false)
})

const media = new MediaUnits()

/** A prompt with a picture of so many units between two texts. */
function withPicture(hash: string, { count = 4, after = ' what is it?' } = {}): number[] {
  return [...tokens('look: '), ...new Array<number>(count).fill(media.unitOf(hash)), ...tokens(after)]
}

function reuseOf(units: readonly number[], prompt: readonly number[]): number {
  return longestPrefix([{ units, accountId: 'a', windowStart: 0 }], prompt, 'a', rules)?.reuse ?? 0
}

test('prompts with different pictures share what stands before them, with the same picture also what follows', () => {
  expect(reuseOf(withPicture('cat'), withPicture('dog'))).toBe('look: '.length)
  expect(reuseOf(withPicture('cat'), withPicture('cat', { after: ' who is it?' }))).toBe(
    'look: '.length + 4 + ' wh'.length,
  )
})

test('a picture is shared whole or not at all', () => {
  const prompt = withPicture('cat')
  const begun = prompt.slice(0, 'look: '.length + 2)
  expect(reuseOf(begun, prompt)).toBe('look: '.length)
  expect(reuseOf(prompt, withPicture('cat', { after: '' }))).toBe('look: '.length)
})

test('the same hash has the same unit, another hash another, and none is a token', () => {
  const units = new MediaUnits()
  const [cat, dog] = [units.unitOf('cat'), units.unitOf('dog')]
  expect(units.unitOf('cat')).toBe(cat)
  expect(dog).not.toBe(cat)
  expect(Math.max(cat, dog)).toBeLessThan(0)
})

test('a hash that was forgotten gets a new unit, one in use keeps its own', () => {
  const units = new MediaUnits()
  const [used, unused] = [units.unitOf('used'), units.unitOf('unused')]
  const seen = new Set([used, unused])
  for (let index = 0; index < 20_000; index++) {
    seen.add(units.unitOf(`picture ${index}`))
    units.unitOf('used')
  }
  expect(seen.size).toBe(20_002)
  expect(units.unitOf('used')).toBe(used)
  expect(seen).not.toContain(units.unitOf('unused'))
})
