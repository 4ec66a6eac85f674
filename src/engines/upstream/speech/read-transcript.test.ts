import { describe, expect, test } from 'bun:test'
import { audioSampleRateHz } from '../../../core/speech.ts'
import { readTranscript } from './read-transcript.ts'

const audio = { path: '', sampleCount: 10 * audioSampleRateHz }
const read = (answer: unknown) => readTranscript(answer, { audio, wantsWords: false })
const withWords = (answer: unknown) => readTranscript(answer, { audio, wantsWords: true })
const labelled = (answer: unknown) => readTranscript(answer, { audio, wantsWords: true, speakers: {} })

test('a text alone is one segment of the whole recording', () => {
  const segment = { type: 'segment', text: 'Hello.', startSeconds: 0, endSeconds: 10 } as const
  expect(read({ text: ' Hello. ' })).toEqual({ segments: [segment], language: undefined, turns: undefined })
  expect(read({ text: ' ' }).segments).toEqual([])
})

test('segments with times, a probability and a language by name', () => {
  const segments = [
    { start: 0.5, end: 1, text: ' Hallo.', avg_logprob: -0.25 },
    { start: 2, end: 3, text: 'Welt', avg_logprob: 0 },
    { start: 3, end: 4, text: ' ' },
  ]
  const transcript = read({ text: 'Hallo. Welt', language: 'german', segments })
  expect(transcript.language).toBe('de')
  expect(transcript.segments).toEqual([
    { type: 'segment', text: 'Hallo.', startSeconds: 0.5, endSeconds: 1, averageLogProbability: -0.25 },
    { type: 'segment', text: 'Welt', startSeconds: 2, endSeconds: 3 },
  ])
})

test('times are moved into the recording and into order', () => {
  const times = [
    [-1, 4],
    [3, 5],
    [9, 30],
    [29, 28],
  ]
  const { segments } = read({ text: '', segments: times.map(([start, end]) => ({ start, end, text: 'x' })) })
  expect(segments.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
    [0, 4],
    [4, 5],
    [9, 10],
    [10, 10],
  ])
})

test.each<[what: string, answer: unknown]>([
  ['no object', 'text'],
  ['no text', { segments: [] }],
  ['a segment without text', { text: '', segments: [{ start: 0, end: 1 }] }],
  ['a segment without times', { text: '', segments: [{ text: 'x', start: 0 }] }],
  ['a time that is none', { text: '', segments: [{ text: 'x', start: '0', end: 1 }] }],
])('%s is refused', (_, answer) => expect(() => read(answer)).toThrow('the server answered with'))

describe('words', () => {
  const segments = [{ start: 0, end: 2, text: 'Hello there.' }]

  test('of OpenAI stand beside the segments, without signs', () => {
    const words = [
      { word: 'Hello', start: 0, end: 0.5 },
      { word: 'there', start: 0.6, end: 1 },
    ]
    expect(withWords({ text: 'Hello there.', segments, words }).segments[0]?.words).toMatchObject([
      { text: 'Hello', startSeconds: 0, endSeconds: 0.5 },
      { text: 'there.', startSeconds: 0.6, endSeconds: 1 },
    ])
  })

  test.each<[what: string, words: unknown]>([
    ['none', undefined],
    ['without text', [{ start: 0, end: 1 }]],
    ['without times', [{ word: 'x' }]],
  ])('%s are refused', (_, words) => {
    expect(() => withWords({ text: '', segments, words })).toThrow('the server answered with')
  })
})

describe('speakers', () => {
  const word = (text: string, at: number, speaker: string, segment_id?: number) => ({
    word: text,
    start: at,
    end: at + 0.5,
    score: 0.5,
    speaker,
    segment_id,
  })
  const answer = (...ids: (number | undefined)[]) => ({
    text: 'Hello you. Yes.',
    segments: [
      { start: 0, end: 1.5, text: 'Hello you.', speaker: 'SPEAKER_00' },
      { start: 2, end: 2.5, text: 'Yes.', speaker: 'SPEAKER_01' },
    ],
    words: [
      word('Hello', 0, 'SPEAKER_00', ids[0]),
      word('you.', 1, 'SPEAKER_00', ids[1]),
      word('Yes.', 2, 'SPEAKER_01', ids[2]),
    ],
  })

  test("words lead back to the model's own segments, and to turns", () => {
    const { segments, turns } = labelled(answer(0, 1, 1))
    expect(segments.map(({ text, words = [] }) => [text, words.length])).toEqual([
      ['Hello', 1],
      ['you. Yes.', 2],
    ])
    expect(segments[0]?.words).toEqual([{ text: 'Hello', startSeconds: 0, endSeconds: 0.5, score: 0.5 }])
    expect(turns).toEqual([
      { speaker: 0, startSeconds: 0, endSeconds: 1.5 },
      { speaker: 1, startSeconds: 2, endSeconds: 2.5 },
    ])
  })

  test('where they do not tell them, what each speaker says is a segment', () => {
    expect(labelled(answer()).segments.map(({ text }) => text)).toEqual(['Hello you.', 'Yes.'])
  })

  test('a word without a speaker is refused', () => {
    const { words, ...rest } = answer()
    expect(() => labelled({ ...rest, words: words.map((each) => ({ ...each, speaker: undefined })) })).toThrow(
      'speaker',
    )
  })
})
