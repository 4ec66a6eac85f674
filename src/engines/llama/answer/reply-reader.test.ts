import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { emptyFormat, nothingRead, textFormat, thinkFormat } from '../../../testing/chat-format.ts'
import { type ReplyFormat, ReplyReader } from './reply-reader.ts'

function read(pieces: readonly string[], format: ReplyFormat = thinkFormat) {
  const reader = new ReplyReader(format)
  const deltas = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
  const join = (kind: string) =>
    deltas.map((delta) => (delta.kind === kind && 'text' in delta ? delta.text : '')).join('')
  return { reasoning: join('reasoning'), text: join('text') }
}

const answers: [string, { reasoning: string; text: string }][] = [
  ['plain answer', { reasoning: '', text: 'plain answer' }],
  ['<think>\nsome thought \n</think>\n\nthe answer', { reasoning: 'some thought', text: 'the answer' }],
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

test('asks the parser now and then while text goes on, and about little each time', () => {
  let longest = 0
  let calls = 0
  const counting = {
    ...thinkFormat,
    parse(text: string) {
      calls++
      longest = Math.max(longest, text.length)
      return thinkFormat.parse(text)
    },
  }
  const words = Array.from({ length: 2000 }, (_, index) => `word${index} `)
  const { reasoning, text } = read(['<think>', ...words, '</think>', '\n\n', ...words], counting)
  expect(reasoning).toBe(words.join('').trimEnd())
  expect(text).toBe(words.join(''))
  expect(calls).toBeLessThan(80)
  expect(longest).toBeLessThan(3000)
})

test('what the parser cannot read is passed on as text', () => {
  const broken = { ...emptyFormat, parse: (text: string) => ({ ...nothingRead, fits: text === '' }) }
  expect(read(['any', ' answer'], broken)).toEqual({ reasoning: '', text: 'any answer' })
})

test('of a continued message only what is new is given out', () => {
  const continuing = {
    ...emptyFormat,
    parse: (text: string) => ({ ...textFormat.parse(text), content: `Once upon${text}` }),
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
