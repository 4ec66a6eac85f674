import { expect, test } from 'bun:test'
import { titleOf } from './title.ts'
import { joinedWords, matcher, wordsOf } from './words.ts'

test('a conversation is found by all words of a query in any order, as parts, without accents and case', () => {
  const words = wordsOf(['Die Brücke in Zürich', 'foo_bar2 FOO'])
  expect(words).toBe('die brucke in zurich foo bar2')
  expect(matcher('zurich BRÜCK')(words)).toBe(true)
  expect(matcher('zurich bern')(words)).toBe(false)
  expect(matcher('foo_bar')(words)).toBe(true)
  expect(matcher('  ')(words)).toBe(true)
  expect(matcher('京')(wordsOf(['東京都']))).toBe(true)
})

test('added words are kept once', () => {
  expect(joinedWords('one two', 'two three')).toBe('one two three')
  expect(joinedWords('', 'one')).toBe('one')
  expect(joinedWords('one', '')).toBe('one')
})

test('a title is the first words of a message', () => {
  expect(titleOf('\n  ## What is\tthe  time?\nMore')).toBe('What is the time?')
  expect(titleOf('')).toBe('')
  const long = titleOf('word '.repeat(40))
  expect(long).toBe(`${'word '.repeat(12).trim()} …`)
  expect(titleOf('x'.repeat(100))).toBe(`${'x'.repeat(60)} …`)
  expect(titleOf('😀'.repeat(100)).isWellFormed()).toBe(true)
  expect(titleOf(`x${'😀'.repeat(100)}`).isWellFormed()).toBe(true)
})
