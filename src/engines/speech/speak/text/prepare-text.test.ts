import { expect, test } from 'bun:test'
import { prepareText } from './prepare-text.ts'

const words = (input: string) =>
  prepareText(input, { language: 'en', needsWords: true, speed: 1 }).map(({ text }) => text)
const plain = (input: string, language = 'en') =>
  prepareText(input, { language, needsWords: false, speed: 1 }).map(({ text }) => text)

test('emoji, flags, keycaps, controls and invisible characters are not read', () => {
  expect(plain('Well done 😀👍🏽 🇩🇪 1️⃣!\u0000\u001b He\u00adllo wor\u200bld.')).toEqual(['Well done !', 'Hello world.'])
})

test.each(['', ' \n\t', '😀😀', '...', '—', '***', '```\n```', '\ud800', '\u0301'])(
  '%j has nothing to say',
  (input) => {
    expect(plain(input)).toEqual([])
    expect(words(input)).toEqual([])
  },
)

test('marks of markdown are dropped; headings, items and rows are sentences', () => {
  const input = [
    '# Title #',
    'Some **bold**, *slanted*, __both__ and `code`',
    'with [a link](https://example.com "title"), ![a picture](x.png)[^1] and ~~no~~ <b>tags</b>.',
    '',
    '- first',
    '  continued',
    '* [x] second',
    '12. third',
    '> quoted &amp; kept \\*as is\\*',
    '',
    '| a | b |',
    '|---|:-:|',
    '| 1 | 2 |',
    '***',
    '[1]: https://example.com',
    '```js',
    'const x = a * b',
    '```',
  ].join('\n')
  expect(plain(input)).toEqual([
    'Title',
    'Some bold, slanted, both and code with a link, a picture and no tags .',
    'first continued',
    'second',
    '12, third',
    'quoted & kept *as is*',
    'a, b',
    '1, 2',
    'const x = a * b',
  ])
})

test('addresses are read in English, and shortened in any language', () => {
  const input = 'See https://www.example.com/docs/page?x=1#y, or mail john.doe@example.co.uk.'
  expect(plain(input)).toEqual([
    'See example dot com slash docs slash page, or mail john dot doe at example dot co dot uk.',
  ])
  expect(plain('Siehe https://example.com/?x=1.', 'de')).toEqual(['Siehe example.com.'])
  expect(plain(`See https://example.com/${'a1b2'.repeat(20)}`)).toEqual(['See example dot com'])
})

test('numbers, abbreviations, acronyms and signs are written out only for models that need words', () => {
  const input = 'Dr. Smith paid $3.50 at 5 p.m. to the FBI & NASA. Mr. Zoë left, etc. Then the U.S. army came.'
  expect(words(input)).toEqual([
    'doctor Smith paid three dollars and fifty cents at five pee em to the eff bee eye and NASA.',
    'mister Zoe left, et cetera.',
    'Then the you ess army came.',
  ])
  expect(plain(input)).toEqual([
    'Dr. Smith paid $3.50 at 5 p.m. to the FBI & NASA.',
    'Mr. Zoë left, etc.',
    'Then the U.S. army came.',
  ])
})

test('letters that stand alone are named, and signs mean what they say', () => {
  expect(words('Plan B: an X-ray of vitamin C, U.S.A.')).toEqual(['Plan bee: an ex-ray of vitamin see, you ess ay.'])
  expect(words("It's a b, isn't it? I am O'Brien's.")).toEqual(["It's a bee, isn't it?", "I am O'Brien's."])
  expect([...words('b'), ...words('U.S.')]).toEqual(['bee.', 'you ess.'])
  expect(words('So a ≠ b => a ≤ 5 and ±5%.')).toEqual([
    'So a is not equal to bee to a at most five and plus or minus five percent.',
  ])
})

test('capitals are words where there is nothing else', () => {
  expect(words('WE WON 5 GAMES & A CUP, OK?')).toEqual(['WE WON five GAMES and A CUP, OK?'])
})

test('letters in another dress are letters', () => {
  expect(plain('Eﬃcient ﬂow, 𝐇𝐞𝐥𝐥𝐨, ＡＢｃ１２, Ⅳ, ①.')).toEqual(['Efficient flow, Hello, ABc12, IV, 1.'])
})

test('models of other languages get their text as it is', () => {
  expect(
    prepareText('Um 15:30 Uhr kosten 42 Äpfel 3,50 €.', { language: 'de', needsWords: true, speed: 1 }),
  ).toMatchObject([{ text: 'Um 15:30 Uhr kosten 42 Äpfel 3,50 €.' }])
})

test('models whose language is not known get their text as it is, too', () => {
  const reader = { language: undefined, needsWords: true, speed: 1 }
  expect(prepareText('今天有42人。', reader)).toMatchObject([{ text: '今天有42人。' }])
})

test('a language may be one that only the synthesizer knows', () => {
  expect(plain('One. Two.', 'en-x')).toEqual(['One.', 'Two.'])
})

test('slow sentences are shorter, since they are long to hear', () => {
  const longest = (speed: number) => {
    const sentences = prepareText('word '.repeat(400), { language: 'en', needsWords: false, speed })
    return Math.max(...sentences.map(({ text }) => text.length))
  }
  expect([longest(4), longest(1), longest(0.5), longest(0.25)]).toEqual([159, 159, 79, 59])
})

test('scripts are split by their own marks; what an English model cannot say is left out', () => {
  expect(plain('你好。我是人！ Привет, мир. Hello?')).toEqual(['你好。', '我是人！', 'Привет, мир.', 'Hello?'])
  expect(words('你好。Hello мир.')).toEqual(['Hello .'])
})

test('pauses follow sentences and paragraphs', () => {
  const pauses = prepareText('One. Two.\n\nThree.', { language: 'en', needsWords: false, speed: 1 })
  expect(pauses.map(({ pauseSeconds }) => pauseSeconds)).toEqual([0.25, 0.45, 0.45])
})

test('long sentences are cut at clauses, else between words, the first one early', () => {
  const clauses = plain(`${'This clause has some forty characters, a b, '.repeat(30)}end.`)
  expect(clauses[0]?.length).toBeLessThanOrEqual(120)
  expect(clauses.every((piece) => piece.length <= 160 && /[,.]$/.test(piece))).toBe(true)
  // A first part of one word would be too short.
  expect(plain(`Well, ${'word '.repeat(60)}`)[0]?.length).toBeGreaterThan(100)
  const run = 'word '.repeat(400).trim()
  expect(plain(run).join(' ')).toBe(run)
  const chinese = '你好'.repeat(1000)
  expect(plain(chinese).join('')).toBe(chinese)
  expect(plain('a'.repeat(20_000)).every((piece) => piece.length <= 160)).toBe(true)
})

test('no text takes long to read', () => {
  const units = [
    'a',
    '1',
    '1,',
    '1-',
    '1:',
    '1/',
    '1.',
    '$',
    '+1 ',
    '[',
    '[a](',
    '*',
    '_',
    'a_',
    '`',
    '|',
    '- ',
    '<a ',
    '<!--',
    'A.',
    '@a.',
    'e.g. ',
    '5%-',
    '$1-',
    'b ',
  ]
  const hard = [...units, ' ', '\n', '= ', 'http://', '(1) ', '你好', '😀', '\u0301', '"', "'", '&', '1 2-3 4 ']
  for (const unit of hard) {
    const text = `${unit.repeat(Math.floor(19_999 / unit.length))}x`
    const begin = performance.now()
    words(text)
    expect([unit, performance.now() - begin < 1000]).toEqual([unit, true])
  }
})
