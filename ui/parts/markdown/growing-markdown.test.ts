import { expect, test } from 'bun:test'
import { Lexer } from 'marked'
import { endsInCode, GrowingMarkdown } from './growing-markdown.ts'

const text = [
  '# Title &lt;b&gt;',
  '',
  'A paragraph with **bold**, `code`, a [late link][late] and',
  'a second line.',
  '',
  '- one',
  '- two',
  '',
  '  still two',
  '  - nested',
  '',
  '1. first',
  '2. second',
  '',
  '> a quote',
  'goes on',
  '',
  '| a | b |',
  '|--:|---|',
  '| 1 | x |',
  '',
  '```js',
  'const a = 1',
  '',
  'if (a < 2) {}',
  '```',
  '',
  'Under',
  '=====',
  '',
  '<script>alert(1)</script>',
  '',
  '[late]: https://example.org "Late"',
  '',
  'The end.',
  '',
].join('\n')

/** Returns a document that grew by pieces of the given lengths in turn. */
function grow(whole: string, lengths: readonly number[]): GrowingMarkdown {
  const document = new GrowingMarkdown()
  for (let from = 0, turn = 0; from < whole.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    document.push(whole.slice(from, from + length))
    document.update()
    from += length
  }
  return document
}

function tokensOf({ closed, open }: GrowingMarkdown) {
  return [...closed, ...open].map(({ token }) => token)
}

for (const lengths of [[1], [2, 7, 3], [13], [100, 1], [5_000]]) {
  test(`text that grows by ${lengths.join(', ')} characters has the blocks that the whole has`, () => {
    const document = grow(text, lengths)
    document.end(text)
    expect(JSON.stringify(tokensOf(document))).toBe(JSON.stringify(new Lexer({ gfm: true }).lex(text)))
  })
}

test('blocks that are closed stay the same objects', () => {
  const document = grow(text, [50])
  const [first] = document.closed
  document.push('\n\nMore.\n\nAnd more.\n\nAnd more.\n')
  document.update()
  expect(document.closed[0]).toBe(first as (typeof document.closed)[number])
})

test('no character is lost, in pieces of any length, and carriage returns are left out', () => {
  const written = text.repeat(3).replaceAll('\n', '\r\n')
  const document = grow(written, [11])
  expect(
    tokensOf(document)
      .map(({ raw }) => raw)
      .join(''),
  ).toBe(text.repeat(3))
})

test('a line of megabytes is shown as it is, and what follows it is markdown again', () => {
  const long = '*a '.repeat(600_000)
  const startedAt = performance.now()
  const document = grow(`# Before\n\n${long}\n\n**after**\n`, [40_000])
  document.end('')
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  expect(tokensOf(document).map(({ type }) => type)).toEqual(['heading', 'space', 'plain', 'space', 'paragraph'])
  expect(tokensOf(document)[2]?.raw).toBe(long)
})

test('a long line of code stays code', () => {
  const document = grow(`\`\`\`json\n${'x'.repeat(50_000)}\n\`\`\`\n\nend`, [3_000])
  expect(tokensOf(document).map(({ type }) => type)).toEqual(['code', 'space', 'paragraph'])
})

for (const mark of ['>', '- ', '1. ']) {
  test(`a line that is nested too deep by "${mark}" is shown as it is, and all else is markdown`, () => {
    const document = grow(`# Before\n\n${mark.repeat(4_000)}deep\n\n**after**\n`, [20_000])
    expect(tokensOf(document).map(({ type }) => type)).toEqual(['heading', 'space', 'plain', 'space', 'paragraph'])
  })
}

test('a fence ends by a mark of its own kind alone', () => {
  expect(['```js\na', '```js\n~~~\n', '````\n```\n', '```\na\n```\n', 'a ``` b', '- ```\n  a'].map(endsInCode)).toEqual(
    [true, true, true, false, false, true],
  )
})
