import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { WordPieces } from './hotwords.ts'

/** Returns a vocabulary of these pieces, between tokens that are none. */
function vocabulary(...pieces: string[]): WordPieces {
  return new WordPieces(['<blk>', '<unk>', ...pieces, '<0x41>'].map((piece, id) => `${piece} ${id}\n`).join(''))
}

const pieces = vocabulary('▁', 'a', 'n', '▁AD', 'A', '▁a', 'd', '▁ben', "'", 's')

test('pieces have scores in their order, and special tokens none', () => {
  expect(vocabulary('▁the', 's').scored).toBe('▁the\t-1\ns\t-2\n')
})

test('words begin where the vocabulary has pieces for that', () => {
  expect(pieces.beginWords).toBe(true)
  expect(vocabulary('▁', 'a').beginWords).toBe(false)
  expect(new WordPieces('').beginWords).toBe(false)
})

test.each<[what: string, request: { prompt?: string; keywords?: string[] }, phrases: string]>([
  ['nothing', {}, ''],
  ['an empty prompt', { prompt: ' ', keywords: ['', ','] }, ''],
  ['keywords before those of a prompt', { prompt: 'ben, ada', keywords: ["Ben's"] }, "ben's/ben/ada"],
  ['a phrase', { keywords: ['ben  ada'] }, 'ben ada'],
  ['words in the case that can be spelled', { keywords: ['Ada', 'ADA', 'BEN'] }, 'Ada/ADA/ben'],
  ['only what can be spelled', { prompt: 'Zoë. ada; x\nben' }, 'ada/ben'],
  ['signs of the library', { keywords: [':1.5', '#0.5 ada', '@ben', 'ben/ada', ':ada'] }, 'ben/ben ada/ada'],
  ['more than 100', { keywords: Array(150).fill('ben') }, Array(100).fill('ben').join('/')],
  ['sentences', { prompt: 'ada ben ada ben ada ben ada ben ada' }, ''],
])('%s', (_, request, phrases) => {
  expect(pieces.phrasesOf(request)).toBe(phrases)
})

test('a word of any length is judged at once', () => {
  const length = 60_000
  expect(pieces.phrasesOf({ prompt: `${'a'.repeat(length)}ë` })).toBe('')
  expect(pieces.phrasesOf({ prompt: 'a'.repeat(length) })).toHaveLength(length)
})

test('whatever is sent, phrases are few, and of letters, signs within words and spaces', () => {
  const text = fc.string({ unit: fc.constantFrom(..."adben \n,:/#@\u0000Zë'-"), maxLength: 200 })
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 150 }), (prompt, keywords) => {
      const phrases = pieces.phrasesOf({ prompt, keywords })
      expect(phrases === '' || /^[a-zA-Z'-]+( [a-zA-Z'-]+)*(\/[a-zA-Z'-]+( [a-zA-Z'-]+)*)*$/.test(phrases)).toBe(true)
      expect(phrases.split('/').length).toBeLessThanOrEqual(100)
    }),
  )
})
