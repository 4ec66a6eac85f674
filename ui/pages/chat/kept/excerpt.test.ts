import { expect, test } from 'bun:test'
import { bestHit, excerptOf, rangesIn } from './excerpt.ts'
import type { ExchangeRecord } from './records.ts'

const marked = (texts: readonly string[], query: string) =>
  excerptOf(texts, query)
    .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
    .join('')

test('an excerpt marks every word of the query, also as parts of words and without accents', () => {
  expect(marked(['The weather in Zürich is sunny.'], 'zurich SUN')).toBe('The weather in [Zürich] is [sun]ny.')
  expect(marked(['nothing'], 'else')).toBe('')
  expect(marked(['eins', 'zwei drei'], 'drei')).toBe('zwei [drei]')
})

test('a word whose folding has another length is marked whole', () => {
  expect(marked(['an eﬃcient way'], 'effi')).toBe('an [eﬃcient] way')
  expect([...rangesIn('한국어', ['한국'.normalize('NFKD')])]).toEqual([[0, 3]])
})

test('an excerpt of a long text begins shortly before the hit, at a word, and has no line breaks', () => {
  const text = `${'far away '.repeat(1_000)}\n\nhere is\nthe needle in it ${'and so on '.repeat(1_000)}`
  const excerpt = marked([text], 'needle')
  expect(excerpt).toMatch(/^… (far|away) /)
  expect(excerpt).toContain('here is the [needle] in it and')
  expect(excerpt.length).toBeLessThan(180)
})

const exchange = (id: number, text: string): ExchangeRecord => ({
  ...{ conversation: 1, id, parent: 0, questionId: id, askedAtMs: id, text, pictures: [], lostPictures: 0 },
  answers: [{ model: 'm', steps: [{ text: `answer ${id}` }, 'damaged', null] }, null],
})

test('the hit is the exchange with most of the words, the newest of several', () => {
  const all = [exchange(1, 'red apple'), exchange(2, 'red'), exchange(3, 'blue'), exchange(4, 'red')]
  expect(bestHit(all, 'red apple')?.id).toBe(1)
  expect(bestHit(all, 'red')?.id).toBe(4)
  expect(bestHit(all, 'answer 3')?.id).toBe(3)
  expect(bestHit(all, 'green')).toBeUndefined()
})
