import { describe, expect, test } from 'bun:test'
import { type Recognized, spreadWords, type TimedWord, wordsOf } from './words.ts'

const speech = [{ startSeconds: 0.2, endSeconds: 5 }]

function recognized(
  tokens: readonly string[],
  timestamps: readonly number[],
  more: Partial<Recognized> = {},
): Recognized {
  return { text: tokens.join(''), tokens, timestamps, durations: [], logProbabilities: [], ...more }
}

function times(words: readonly TimedWord[]): [string, number, number][] {
  return words.map(({ text, startSeconds, endSeconds }) => [text, round(startSeconds), round(endSeconds)])
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100
}

describe('tokens with times', () => {
  test('a token with a space before it begins a word, which ends where the next begins', () => {
    const words = wordsOf(recognized([' a', ' c', 'at', ' s', 'at'], [0.2, 0.4, 0.5, 0.6, 0.8]), speech)
    expect(times(words)).toEqual([
      ['a', 0.2, 0.4],
      ['cat', 0.4, 0.6],
      ['sat', 0.6, 1.1],
    ])
  })

  test('tokens of one letter and spaces of their own are words too', () => {
    const words = wordsOf(recognized(['▁', 'a', '▁', 'b', 'c'], [0, 0.1, 0.2, 0.3, 0.4], { text: ' a bc' }), speech)
    expect(words.map(({ text }) => text)).toEqual(['a', 'bc'])
  })

  test('a space of its own begins the word behind it, but for a pause between them', () => {
    const words = wordsOf(
      recognized(['▁', 'a', '▁', 'b', '▁', 'c'], [1, 1.04, 1.4, 1.48, 1.6, 3], { text: ' a b c' }),
      speech,
    )
    expect(times(words)).toEqual([
      ['a', 1, 1.34],
      ['b', 1.4, 1.78],
      ['c', 3, 3.3],
    ])
  })

  test('before a pause a word ends soon, and within speech', () => {
    const words = wordsOf(recognized([' yes', ' no'], [0.2, 4.9]), speech)
    expect(times(words)).toEqual([
      ['yes', 0.2, 0.5],
      ['no', 4.9, 5],
    ])
  })

  test('a word that seems to begin just before speech begins with it', () => {
    const later = [speech, { startSeconds: 6, endSeconds: 7 }].flat()
    const words = wordsOf(recognized([' a', ' b', ' c', ' d'], [0.05, 5.3, 5.7, 5.9]), later)
    expect(times(words).map(([, startSeconds]) => startSeconds)).toEqual([0.2, 5.3, 5.86, 6])
  })

  test('durations of the model count where it has some', () => {
    const words = wordsOf(recognized([' yes', ' no'], [0.2, 1], { durations: [0.08, 0.24] }), speech)
    expect(times(words)).toEqual([
      ['yes', 0.2, 0.28],
      ['no', 1, 1.24],
    ])
  })

  test('punctuation belongs to the word before it', () => {
    const words = wordsOf(recognized([' Yes', ',', ' no', ' .'], [0.2, 0.3, 0.4, 0.5], { text: 'Yes, no.' }), speech)
    expect(words.map(({ text }) => text)).toEqual(['Yes,', 'no.'])
  })

  test('spaces are where the text has them, also around quotes', () => {
    const tokens = [' Say', ',', ' "', 'yes', '"', ' -', ' now']
    const words = wordsOf(recognized(tokens, [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]), speech)
    expect(times(words).map(([text, startSeconds]) => [text, startSeconds])).toEqual([
      ['Say,', 0.2],
      ['"yes"', 0.4],
      ['-', 0.7],
      ['now', 0.8],
    ])
  })

  test.each([
    ['他说：“你好”', ['他', '说：“', '你', '好”']],
    ['“你好”', ['“你', '好”']],
    ['用iPhone吗？', ['用', 'iPhone', '吗？']],
    ['コーヒー', ['コ', 'ー', 'ヒ', 'ー']],
    ['ที่นี่', ['ที่', 'นี่']],
    ['co·op naïve', ['co·op', 'naïve']],
  ])('%p is these words', (text, expected) => {
    const tokens = [...text]
    const words = wordsOf(
      recognized(
        tokens,
        Array.from(tokens, (_, index) => index / 10),
        { text },
      ),
      speech,
    )
    expect(words.map((word) => word.text)).toEqual(expected)
    const joined = words.map((word, index) => (index === 0 || word.isGlued ? '' : ' ') + word.text).join('')
    expect(joined).toBe(text)
    expect(spreadWords(text, speech).map((word) => word.text)).toEqual(expected)
  })

  test('scripts without spaces have a word for each character', () => {
    const words = wordsOf(recognized(['你', '好', '。', 'ok', 'ay'], [0.2, 0.4, 0.5, 0.6, 0.7]), speech)
    expect(words.map(({ text, isGlued }) => [text, isGlued])).toEqual([
      ['你', false],
      ['好。', true],
      ['okay', true],
    ])
  })

  test('a score is the mean of its tokens', () => {
    const [word] = wordsOf(recognized([' c', 'at'], [0.2, 0.3], { logProbabilities: [-1, -3] }), speech)
    expect(word?.logProbability).toBe(-2)
  })

  test('marks of the model are no words', () => {
    const words = wordsOf(recognized(['<|en|>', ' yes'], [0, 0.2], { text: '<|en|> yes' }), speech)
    expect(words.map(({ text }) => text)).toEqual(['yes'])
  })
})

describe('text without times', () => {
  const two = [
    { startSeconds: 1, endSeconds: 2 },
    { startSeconds: 5, endSeconds: 6 },
  ]

  test('words are spread over the time somebody speaks', () => {
    expect(times(spreadWords('aaaa bbbb cc dd', two))).toEqual([
      ['aaaa', 1, 1.67],
      ['bbbb', 1.67, 5.33],
      ['cc', 5.33, 5.67],
      ['dd', 5.67, 6],
    ])
    expect(times(spreadWords('aa bb', two))).toEqual([
      ['aa', 1, 2],
      ['bb', 5, 6],
    ])
  })

  test('tokens that are not the text have no times', () => {
    const damaged = recognized([' caf', '\uFFFD', '\uFFFD'], [0.2, 0.3, 0.4], { text: ' café au lait' })
    expect(wordsOf(damaged, two).map(({ text }) => text)).toEqual(['café', 'au', 'lait'])
  })

  test('nor have tokens of which some have no times', () => {
    expect(wordsOf(recognized([' aa', ' bb'], [0.2]), two)).toEqual(spreadWords('aa bb', two))
  })

  test('no text is no words', () => {
    expect(wordsOf(recognized([], []), two)).toEqual([])
    expect(wordsOf(recognized([' '], [0.1], { text: ' ' }), two)).toEqual([])
  })
})
