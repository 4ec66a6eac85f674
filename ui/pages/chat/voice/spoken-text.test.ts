import { expect, test } from 'bun:test'
import { spokenText } from './spoken-text.ts'

test.each([
  ['a *strong* **word** and `code`', 'a strong word and code'],
  ['# Heading\n\nText &amp; more', 'Heading.\n\nText & more'],
  ['- one\n- two\n  - three', 'one.\ntwo.\nthree.'],
  ['1. first!\n2. [second](https://example.org)', 'first!\nsecond.'],
  ['before\n\n```ts\nconst x = 1\n```\n\nafter', 'before\n\nafter'],
  ['| a | b |\n|---|---|\n| 1 | 2 |', 'a, b.\n1, 2.'],
  ['<div>html</div>\n\n> quoted\n\n---', 'quoted'],
  ['```\nonly code\n```', ''],
  ['', ''],
])('%p is said as %p', (markdown, words) => {
  expect(spokenText(markdown)).toBe(words)
})

test('the text of an answer that nests without end is found', () => {
  expect(spokenText(`${'> '.repeat(50)}deep`)).toBe('deep')
})
