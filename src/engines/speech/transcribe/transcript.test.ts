import { expect, test } from 'bun:test'
import { audioSampleRateHz } from '../../../core/speech.ts'
import type { RecognizedChunk } from './recognizer.ts'
import { transcriptOf } from './transcript.ts'

/** Three seconds of uninterrupted speech. */
const whole = { start: 0, end: 3 * audioSampleRateHz }
const chunk = { ...whole, speech: [whole] }

function recognized(text: string, parts: RecognizedChunk['parts'] = []): RecognizedChunk {
  return { text, tokens: [], timestamps: [], durations: [], logProbabilities: [], language: undefined, parts }
}

function texts(chunkText: RecognizedChunk, inventsText = true): string[] {
  return transcriptOf(chunkText, chunk, { wantsWords: true, inventsText }).map(({ text }) => text)
}

test('parts of a text without spaces are joined without spaces', () => {
  const parts = (...each: string[]) =>
    each.map((text, at) => ({ text, startSeconds: at * 1.5, endSeconds: at * 1.5 + 1.5 }))
  expect(texts(recognized('你好世界', parts('你好', '世界')))).toEqual(['你好世界'])
  expect(texts(recognized(' one two', parts(' one', ' two')))).toEqual(['one two'])
})

test('a part in which nobody seems to speak keeps its time', () => {
  const silent = { ...chunk, speech: [{ start: 0, end: audioSampleRateHz }] }
  const parts = [{ text: ' late', startSeconds: 2, endSeconds: 2.5 }]
  const segments = transcriptOf(recognized(' late', parts), silent, { wantsWords: false, inventsText: true })
  expect(segments).toMatchObject([{ text: 'late', startSeconds: 2, endSeconds: 2.5 }])
})

const again = `so ${'yes '.repeat(16)}`.trim()

test('a phrase that is repeated over and over is told once, where the model can make it up', () => {
  expect(texts(recognized(again))).toEqual(['so yes'])
  expect(texts(recognized(again), false)).toEqual([again])
})

test('text that nobody could say in the time is left out, where the model can make it up', () => {
  const long = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ')
  expect(texts(recognized(long))).toEqual([])
  expect(texts(recognized(long), false).join(' ')).toBe(long)
})

test('tokens that are no letters belong to the first segment', () => {
  const bytes = {
    ...recognized('é.'),
    tokens: ['<0xC3>', '<0xA9>', '.'],
    logProbabilities: [-1, 0, -0.5],
    timestamps: [0, 0, 1],
  }
  const [segment] = transcriptOf(bytes, chunk, { wantsWords: false, wantsTokens: true, inventsText: true })
  expect(segment?.tokens).toEqual([
    { text: '<0xC3>', logProbability: -1 },
    { text: '<0xA9>', logProbability: 0 },
    { text: '.', logProbability: -0.5 },
  ])
})
