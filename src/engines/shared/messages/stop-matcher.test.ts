import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { StopMatcher } from './stop-matcher.ts'

function run(stops: readonly string[], pieces: readonly string[]) {
  const matcher = new StopMatcher(stops)
  let text = ''
  for (const piece of pieces) {
    const matched = matcher.push(piece)
    text += matched.text
    if (matched.stop !== undefined) return { text, stop: matched.stop }
  }
  return { text: text + matcher.flush(), stop: undefined }
}

test('finds a stop string across pieces and says which', () => {
  expect(run(['END', 'stop'], ['hello s', 'to', 'p it'])).toEqual({ text: 'hello ', stop: 'stop' })
})

test('what only began like one is given out', () => {
  expect(run(['stop'], ['st', 'art', ' sto'])).toEqual({ text: 'start sto', stop: undefined })
})

test('the one that begins first counts', () => {
  expect(run(['c', 'bcd'], ['abcd'])).toEqual({ text: 'a', stop: 'bcd' })
})

test('gives the same however the text is cut', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 })
  const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(letters, stops, (text, given) => {
      const first = given.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
      const whole = run(given, [text])
      expect(whole.text).toBe(first.length === 0 ? text : text.slice(0, Math.min(...first)))
    }),
  )
})

test('of strings that end together the earlier beginning may be found a letter late, but nothing of it is given out', () => {
  for (const pieces of [['xaab'], ['x', 'a', 'a', 'b']]) expect(run(['aab', 'ab'], pieces)).toMatchObject({ text: 'x' })
})

test('64 strings that all but match are told from a text that repeats them, at the cost of one look at each letter', () => {
  const stops = Array.from({ length: 64 }, (_, index) => `${'a'.repeat(50_000)}${10 + index}`)
  const pieces = Array.from({ length: 100 }, () => `${'a'.repeat(499)}b`)
  expect(run(stops, [...pieces, 'a'.repeat(60_000), '73 and more'])).toEqual({
    text: `${pieces.join('')}${'a'.repeat(10_000)}`,
    stop: stops[63],
  })
})
