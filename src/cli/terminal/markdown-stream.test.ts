import { expect, test } from 'bun:test'
import { printable } from '../../core/printable.ts'
import { MarkdownStream } from './markdown-stream.ts'

/** Shows a text that arrives in pieces of `size` characters. */
function show(text: string, size: number, width = 60): string {
  const stream = new MarkdownStream(() => width)
  let shown = ''
  for (let at = 0; at < text.length; at += size) shown += stream.add(text.slice(at, at + size))
  return shown + stream.end()
}

const document = `# Two *things*

This is **bold text** and *it* with \`code here\` and [a link](https://a.example), 2 * 3 * 4, a_b_c.

- one
- two **b**
  - nested
1. first
2. [x] second

> said \`so\`

| a | b |
|---|--:|
| x | **1** |

\`\`\`ts
const x = '**not bold**' // hi
\`\`\`

---
- [ ] to do
- [x] done
costs $5 and $6, _open and *open
end`

test('an answer looks the same in pieces of any size', () => {
  const whole = show(document, document.length)
  for (const size of [1, 2, 3, 7, 20]) expect(show(document, size)).toBe(whole)
})

test('marks become styles, bullets, boxes and lines', () => {
  const whole = show(document, 5)
  expect(whole).toContain('This is \u001b[1mbold text\u001b[22m and \u001b[3mit\u001b[23m with \u001b[36mcode here')
  expect(Bun.stripANSI(whole)).toBe(`Two things

This is bold text and it with code here and a link
(https://a.example), 2 * 3 * 4, a_b_c.

• one
• two b
  • nested
1. first
2. [x] second

│ said so

┌─────┬─────┐
│ a   │   b │
├─────┼─────┤
│ x   │   1 │
└─────┴─────┘

  ts
  const x = '**not bold**' // hi

${'─'.repeat(60)}
☐ to do
☑ done
costs $5 and $6, _open and *open
end
`)
})

test('words are shown as they come, an emphasis once it is complete', () => {
  const stream = new MarkdownStream(() => 80)
  expect(stream.add('Hello wor')).toBe('Hello')
  expect(stream.add('ld, **very ')).toBe(' world,')
  expect(stream.add('bold** te')).toBe(' \u001b[1mvery bold\u001b[22m')
  expect(stream.end()).toBe(' te\n')
})

test('an emphasis without an end holds words back for a few lines only', () => {
  const stream = new MarkdownStream(() => 80)
  expect(stream.add(`**${'word '.repeat(70)}`)).toBe('')
  expect(stream.add('word '.repeat(20))).toStartWith('**word word')
})

test('long lines break between words, below the text of their list item', () => {
  expect(Bun.stripANSI(show('- one two three four five six', 3, 16))).toBe('• one two three\n  four five six\n')
})

test('an answer cannot control the terminal', () => {
  const text = 'see \u001bc this\na \u001b[2J b\n```\n\u001b]0;title\u0007\n```\n| \u001b[2J |\n# \u001b[2J'
  for (const size of [1, text.length]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the styles that are ours
    const shown = show(text, size).replaceAll(/\u001b\[[\d;]*m/g, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    expect(shown).toContain('a \\u001b[2J b')
  }
})

test.each([
  'a &#27;[2J b',
  'a &#x1B;[2J *b &#0000155;2J*',
  '# &#x1b;]0;title&#7;',
  '[a](<https://a.example/&#27;[2J>)',
  '| &#27;[8m | &#155;2J |\n|---|---|\n| &#8238; | &rlm; |\n',
  'a &rlm; &ZeroWidthSpace; b',
])('%j cannot control the terminal by references', (text) => {
  for (const size of [1, text.length]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the styles that are ours
    const shown = show(text, size).replaceAll(/\u001b\[(?:0|1|2|3|4|22|23|24|39|1;35|22;39)m/g, '')
    expect(printable(shown)).toBe(shown)
  }
})

test('references of usual characters are shown as these', () => {
  expect(show('2 &lt; 3 &amp;&#32;4 &gt; 3, &eacute;', 4)).toBe('2 < 3 & 4 > 3, é\n')
})
