import { expect, test } from 'bun:test'
import { normalisedWords } from './normalise.ts'
import { numberWords, ordinalWords } from './number-words.ts'

test.each([
  ['Hello, World!', 'hello world'],
  ["I can't; it's John’s, and they've won't.", 'i can not it is johns and they have will not'],
  ["What's up? Let's go, 'quoted'.", 'what is up let us go quoted'],
  ['well-known [music] thing (laughs) um, yes', 'well known thing yes'],
  [
    '42 cats, 1,234 dogs and 3.05 birds',
    'forty two cats one thousand two hundred thirty four dogs and three point zero five birds',
  ],
  ['the 21st of May, 007', 'the twenty first of may zero zero seven'],
  ['$5 or 10%', 'five dollars or ten percent'],
  ['three hundred and five and a thousand and one nights', 'three hundred five and a thousand one nights'],
  [
    'The grey colours of the theatre were realised; travelling, OK',
    'the gray colors of the theater were realized traveling okay',
  ],
  ['Tom & Jerry', 'tom and jerry'],
  ['naïve café', 'naïve café'],
  [' ... ', ''],
])('%j', (text, expected) => {
  expect(normalisedWords(text).join(' ')).toBe(expected)
})

test.each([
  [0, 'zero'],
  [13, 'thirteen'],
  [40, 'forty'],
  [99, 'ninety nine'],
  [100, 'one hundred'],
  [342, 'three hundred forty two'],
  [12_000, 'twelve thousand'],
  [1_000_001, 'one million one'],
])('%d is %j', (value, words) => {
  expect(numberWords(value).join(' ')).toBe(words)
})

test.each([
  [1, 'first'],
  [12, 'twelfth'],
  [20, 'twentieth'],
  [33, 'thirty third'],
  [100, 'one hundredth'],
])('%d in an order is %j', (value, words) => {
  expect(ordinalWords(value).join(' ')).toBe(words)
})
