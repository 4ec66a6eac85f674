import { expect, test } from 'bun:test'
import { textOf, toTranscript, wordAt } from './transcript.ts'

const word = (text: string, start: number, end: number, score?: number) => ({
  ...{ word: text, start, end },
  ...(score !== undefined && { score }),
})

const spoken = {
  ...{ text: '', language: 'en', duration: 9, speakers: ['SPEAKER_00', 'SPEAKER_01'] },
  speaker_segments: [
    {
      ...{ speaker_id: 'SPEAKER_00', start: 0, end: 1, text: 'Hello there.' },
      words: [word('Hello', 0, 0.4, 0.9), word('there.', 0.5, 1, 0.2)],
    },
    {
      ...{ speaker_id: 'SPEAKER_01', start: 2, end: 3, text: '你好吗' },
      words: [word('你好', 2, 2.5, 0.9), word('吗', 2.5, 3, 0.9)],
    },
  ],
}

test('turns keep their text, also of scripts without spaces', () => {
  const { turns, speakers, hasScores } = toTranscript(spoken)
  expect(turns.map(({ speaker, words }) => [speaker, textOf(words)])).toEqual([
    ['SPEAKER_00', 'Hello there.'],
    ['SPEAKER_01', '你好吗'],
  ])
  expect([speakers.length, hasScores]).toEqual([2, true])
})

test('without speakers each segment has the words that begin in it, and itself where there are none', () => {
  const { turns, hasScores } = toTranscript({
    ...{ text: '', language: 'en', duration: 9 },
    segments: [
      { start: 0, end: 2, text: 'one two' },
      { start: 3, end: 4, text: 'three' },
      { start: 5, end: 6, text: 'four' },
    ],
    words: [word('one', 0, 1), word('two', 1.9, 3.2), word('three', 3, 4)],
  })
  expect(turns.map(({ words }) => textOf(words))).toEqual(['one two', 'three', 'four'])
  expect(turns.map(({ speaker }) => speaker)).toEqual([undefined, undefined, undefined])
  expect(hasScores).toBe(false)
})

test('models that give every word the score 0 do not say how sure they are', () => {
  const speaker_segments = spoken.speaker_segments.map((turn) => ({
    ...turn,
    words: turn.words.map((each) => ({ ...each, score: 0 })),
  }))
  expect(toTranscript({ ...spoken, speaker_segments }).hasScores).toBe(false)
})

test('the word at a time is the last one that has begun', () => {
  const words = [{ start: 1 }, { start: 2 }, { start: 4 }]
  expect([0.5, 1, 1.9, 2, 3.9, 100].map((seconds) => wordAt(words, seconds))).toEqual([undefined, 0, 0, 1, 1, 2])
  expect(wordAt([], 1)).toBeUndefined()
})
