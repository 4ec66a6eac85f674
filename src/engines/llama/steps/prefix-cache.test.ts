import { expect, test } from 'bun:test'
import { layoutOf, tokens } from '../../../testing/prompt-layouts.ts'
import { type HeldPrefix, longestPrefix, MediaUnits, mayContinueInPlace } from './prefix-cache.ts'
import type { PromptLayout } from './prompt-layout.ts'

const rules = { shareCache: false, isRecurrent: false, slidingWindowTokens: 0 }

function held(text: string, accountId = 'a', windowStart = 0): HeldPrefix {
  return { units: tokens(text), accountId, windowStart }
}

test('finds the prefix that shares most with the prompt', () => {
  const prefixes = [held('other'), held('hello'), held('hello wor'), held('')]
  expect(longestPrefix(prefixes, layoutOf('hello world'), 'a', rules)).toEqual({ held: held('hello wor'), reuse: 9 })
  expect(longestPrefix(prefixes, layoutOf('nothing'), 'a', rules)).toBeUndefined()
})

test('always leaves one token to decode', () => {
  expect(longestPrefix([held('hello')], layoutOf('hello'), 'a', rules)?.reuse).toBe(4)
})

test('never takes another account’s prefix unless the operator shares the cache', () => {
  expect(longestPrefix([held('hello', 'b')], layoutOf('hello!'), 'a', rules)).toBeUndefined()
  expect(longestPrefix([held('hello', 'b')], layoutOf('hello!'), 'a', { ...rules, shareCache: true })?.reuse).toBe(5)
})

test('recurrent memory is continued whole or not at all', () => {
  const recurrent = { ...rules, isRecurrent: true }
  expect(longestPrefix([held('hello')], layoutOf('hello world'), 'a', recurrent)?.reuse).toBe(5)
  expect(longestPrefix([held('hello there')], layoutOf('hello world'), 'a', recurrent)).toBeUndefined()
})

test('behind a sliding window a prefix is cut back only as far as the window reaches', () => {
  const window = { ...rules, slidingWindowTokens: 4 }
  const reuse = (windowStart: number, prompt: string) =>
    longestPrefix([held('0123456789', 'a', windowStart)], layoutOf(prompt), 'a', window)?.reuse
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
  expect(longestPrefix(prefixes, layoutOf('hello wool'), 'a', window)?.reuse).toBe(5)
})

test('a conversation is continued in place, one that only begins alike is not destroyed', () => {
  expect(mayContinueInPlace(100, 100)).toBe(true)
  expect(mayContinueInPlace(100, 50)).toBe(true)
  expect(mayContinueInPlace(100, 49)).toBe(false)
})

/** Makes a prompt with a picture between two texts. */
function withPicture(name: string, after = ' what is it?') {
  return layoutOf('look: ', { name, entries: 4 }, after)
}

function reuseOf({ units }: Pick<PromptLayout, 'units'>, prompt: PromptLayout): number {
  return longestPrefix([{ units: Array.from(units), accountId: 'a', windowStart: 0 }], prompt, 'a', rules)?.reuse ?? 0
}

test('prompts with different pictures share what stands before them, with the same picture also what follows', () => {
  expect(reuseOf(withPicture('cat'), withPicture('dog'))).toBe('look: '.length)
  expect(reuseOf(withPicture('cat'), withPicture('cat', ' who is it?'))).toBe('look: '.length + 4 + ' wh'.length)
})

test('a picture is shared whole or not at all', () => {
  const prompt = withPicture('cat')
  const begun = { units: Array.from(prompt.units).slice(0, 'look: '.length + 2) }
  expect(reuseOf(begun, prompt)).toBe('look: '.length)
  expect(reuseOf(prompt, withPicture('cat', ''))).toBe('look: '.length)
})

test('of the same picture twice in a row the first may be shared alone', () => {
  const cat = { name: 'cat', entries: 4 }
  const twice = layoutOf('look: ', cat, cat, ' and?')
  expect(reuseOf(layoutOf('look: ', cat, ' and?'), twice)).toBe('look: '.length + 4)
  expect(reuseOf(twice, layoutOf('look: ', cat, ' and?'))).toBe('look: '.length + 4)
  expect(reuseOf({ units: Array.from(twice.units).slice(0, -7) }, twice)).toBe('look: '.length + 4)
})

test('a sliding window is one of positions, of which a picture may have fewer than places', () => {
  const prompt = layoutOf('look: ', { name: 'wide', entries: 100, positions: 10 }, ' what is it?')
  const held = { units: [...Array.from(prompt.units).slice(0, -1), 0], accountId: 'a', windowStart: 6 + 10 + 11 - 3 }
  const window = { ...rules, slidingWindowTokens: 4 }
  expect(longestPrefix([held], prompt, 'a', window)?.reuse).toBe(prompt.units.length - 1)
  expect(longestPrefix([{ ...held, windowStart: held.windowStart + 1 }], prompt, 'a', window)).toBeUndefined()
})

test('the same key has the same unit, another key another, and none is a token', () => {
  const units = new MediaUnits()
  const [cat, dog] = [units.unitOf('cat'), units.unitOf('dog')]
  expect(units.unitOf('cat')).toBe(cat)
  expect(dog).not.toBe(cat)
  expect(Math.max(cat, dog)).toBeLessThan(0)
})

test('a key that was forgotten gets a new unit, one in use keeps its own', () => {
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
