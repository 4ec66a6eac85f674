import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ReplyReader } from './reply-reader.ts'

/** Reads `<think>…</think>` the way llama.cpp's parser does: leading white space goes, trailing stays in thinking. */
const thinkFormat = {
  thinkingEndTags: ['</think>'],
  parse(text: string, isPartial: boolean) {
    const opened = text.trimStart()
    if (isPartial && '<think>'.startsWith(opened)) return { content: '', reasoning: '', toolCalls: [] }
    if (!opened.startsWith('<think>')) return { content: text, reasoning: '', toolCalls: [] }
    const inside = opened.slice('<think>'.length).trimStart()
    const [reasoning = '', content = ''] = inside.split('</think>')
    const complete = isPartial && content === '' ? reasoning.replace(/<(\/(t(h(i(n(k)?)?)?)?)?)?$/, '') : reasoning
    return { content: content.trimStart(), reasoning: complete, toolCalls: [] }
  },
}

function read(pieces: readonly string[], format = thinkFormat) {
  const reader = new ReplyReader(format)
  const deltas = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
  const join = (kind: string) =>
    deltas
      .filter((delta) => delta.kind === kind)
      .map((delta) => delta.text)
      .join('')
  return { reasoning: join('reasoning'), text: join('text') }
}

const answers: [string, { reasoning: string; text: string }][] = [
  ['plain answer', { reasoning: '', text: 'plain answer' }],
  ['<think>\nsome thought \n</think>\n\nthe answer', { reasoning: 'some thought \n', text: 'the answer' }],
  ['<think>never closed', { reasoning: 'never closed', text: '' }],
  ['<think>a </thin b</think>c', { reasoning: 'a </thin b', text: 'c' }],
  ['<think>\n\n</think>\n\nno thought', { reasoning: '', text: 'no thought' }],
  ['a < b and </think> is text here', { reasoning: '', text: 'a < b and </think> is text here' }],
]

test.each(answers)('splits %j', (raw, expected) => {
  expect(read([raw])).toEqual(expected)
})

test('gives the same for every way to cut the answer into pieces', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...answers),
      fc.infiniteStream(fc.integer({ min: 1, max: 6 })),
      ([raw, expected], sizes) => {
        const pieces: string[] = []
        for (let at = 0; at < raw.length; ) {
          const size = sizes.next().value ?? 1
          pieces.push(raw.slice(at, at + size))
          at += size
        }
        expect(read(pieces)).toEqual(expected)
      },
    ),
  )
})

test('asks the parser a number of times that does not grow with the answer', () => {
  let calls = 0
  const counting = {
    ...thinkFormat,
    parse(text: string, isPartial: boolean) {
      calls++
      return thinkFormat.parse(text, isPartial)
    },
  }
  const words = Array.from({ length: 2000 }, (_, index) => `word${index} `)
  const { reasoning, text } = read(['<think>', ...words, '</think>', '\n\n', ...words], counting)
  expect(reasoning).toBe(words.join(''))
  expect(text).toBe(words.join(''))
  expect(calls).toBeLessThan(10)
})

test('what the parser cannot read is passed on as text', () => {
  const broken = {
    thinkingEndTags: [],
    parse(): never {
      throw new Error('does not match')
    },
  }
  expect(read(['any', ' answer'], broken)).toEqual({ reasoning: '', text: 'any answer' })
})

test('of a continued message only what is new is given out', () => {
  const continuing = {
    thinkingEndTags: [],
    parse: (text: string) => ({ content: `Once upon${text}`, reasoning: '', toolCalls: [] }),
  }
  expect(read([' a', ' time'], continuing)).toEqual({ reasoning: '', text: ' a time' })
})

test('says which kind of output is being generated', () => {
  const reader = new ReplyReader(thinkFormat)
  reader.push('<think>hm')
  expect(reader.kind).toBe('reasoning')
  reader.push('</think>yes')
  expect(reader.kind).toBe('text')
})
