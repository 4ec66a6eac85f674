import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { segmentsOf } from './segments.ts'
import type { TimedWord } from './words.ts'

/** Returns one word per half second; `_` is a pause of one second. */
function words(text: string): TimedWord[] {
  let at = 0
  return text.split(' ').flatMap((word) => {
    at += 0.5
    if (word !== '_') return { text: word, startSeconds: at, endSeconds: at + 0.4, isGlued: false }
    at += 0.5
    return []
  })
}

function texts(text: string): string[] {
  return segmentsOf(words(text), { startSeconds: 0, wantsWords: false }).map((segment) => segment.text)
}

test('sentences and pauses end segments', () => {
  expect(texts('Good morning. How are you? _ I am fine')).toEqual(['Good morning.', 'How are you?', 'I am fine'])
  expect(texts('so _ here we are')).toEqual(['so', 'here we are'])
})

test('abbreviations and numbers end none', () => {
  expect(texts('Mr. Smith and J. Doe paid 3. more times')).toEqual(['Mr. Smith and J. Doe paid 3. more times'])
})

test('long sentences are divided, at a comma near the middle if there is one', () => {
  const [first, second] = texts(
    'one two three four five six seven eight nine, ten eleven twelve thirteen fourteen fifteen sixteen',
  )
  expect([first, second]).toEqual([
    'one two three four five six seven eight nine,',
    'ten eleven twelve thirteen fourteen fifteen sixteen',
  ])
})

test('slow words are divided where they take too long, at the longest pause near the middle', () => {
  const pauses = [0.1, 0.1, 0.1, 0.1, 0.5, 0.1, 0.1]
  let at = 0
  const slow = [...'abcdefg'].map((text, index) => {
    const word = { text, startSeconds: at, endSeconds: at + 1.7, isGlued: false }
    at += 1.7 + (pauses[index] ?? 0)
    return word
  })
  const segments = segmentsOf(slow, { startSeconds: 0, wantsWords: false })
  expect(segments.map(({ text }) => text)).toEqual(['a b c d e', 'f g'])
})

test('times are those of the recording, and words come where they are wanted', () => {
  const part = [{ text: 'yes', startSeconds: 0.5, endSeconds: 0.9, logProbability: Math.log(0.5), isGlued: false }]
  const [segment] = segmentsOf(part, { startSeconds: 60, wantsWords: true })
  expect(segment).toEqual({
    type: 'segment',
    text: 'yes',
    startSeconds: 60.5,
    endSeconds: 60.9,
    words: [{ text: 'yes', startSeconds: 60.5, endSeconds: 60.9, score: 0.5 }],
    averageLogProbability: Math.log(0.5),
  })
  expect(segmentsOf(part, { startSeconds: 0, wantsWords: false })[0]?.words).toBeUndefined()
})

test('characters without spaces between them stay together', () => {
  const glued = ['你', '好'].map((text, at) => ({ text, startSeconds: at, endSeconds: at + 1, isGlued: at > 0 }))
  const [segment] = segmentsOf(glued, { startSeconds: 0, wantsWords: true })
  expect(segment?.text).toBe('你好')
  expect(segment?.words?.map(({ isGlued }) => isGlued)).toEqual([undefined, true])
})

test('no word is lost, and segments are short unless they are one word', () => {
  const word = fc.stringMatching(/^[a-z]{1,30}[.,]?$/)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 80 }), (all) => {
      const segments = segmentsOf(words(all.join(' ')), { startSeconds: 0, wantsWords: true })
      expect(segments.flatMap((segment) => segment.words?.map(({ text }) => text))).toEqual(all)
      for (const { text, startSeconds, endSeconds, words: own = [] } of segments)
        expect(own.length === 1 || (text.length <= 80 && endSeconds - startSeconds <= 10)).toBe(true)
    }),
  )
})
