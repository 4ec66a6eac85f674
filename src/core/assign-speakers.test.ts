import { expect, test } from 'bun:test'
import { assignSpeakers } from './assign-speakers.ts'
import type { SpeakerTurn, TranscriptSegment } from './speech.ts'

type Times = readonly [startSeconds: number, endSeconds: number]

/** Makes a segment whose words have these times. */
function segment(...words: readonly Times[]): TranscriptSegment {
  const named = words.map(([startSeconds, endSeconds]) => ({ text: 'word', startSeconds, endSeconds }))
  return {
    type: 'segment',
    text: named.map(({ text }) => text).join(' '),
    startSeconds: words[0]?.[0] ?? 0,
    endSeconds: words.at(-1)?.[1] ?? 0,
    words: named,
  }
}

function turns(...rows: readonly (readonly [speaker: number, ...Times])[]): readonly SpeakerTurn[] {
  return rows.map(([speaker, startSeconds, endSeconds]) => ({ speaker, startSeconds, endSeconds }))
}

function speakers(segments: readonly TranscriptSegment[], of: readonly SpeakerTurn[]): readonly number[] {
  return Array.from(assignSpeakers(segments, of), ({ speaker }) => speaker)
}

test('a word has the speaker whose turn it lies in, whichever segment it belongs to', () => {
  const spoken = [segment([0, 0.5], [0.6, 1]), segment([2, 2.4], [3.1, 3.5])]
  expect(speakers(spoken, turns([0, 0, 1.2], [1, 1.9, 3], [0, 3, 4]))).toEqual([0, 0, 1, 0])
})

test('a word over several turns has the speaker that it overlaps longest, all turns of a speaker together', () => {
  expect(speakers([segment([0, 0.1], [0.5, 1.5])], turns([0, 0, 0.9], [1, 0.9, 2]))).toEqual([0, 1])
  const torn = turns([1, 0, 1], [0, 1, 1.3], [1, 1.3, 1.6], [0, 1.6, 2])
  expect(speakers([segment([0, 0.5], [1, 2])], torn)).toEqual([0, 1])
})

test('a word outside all turns has the speaker of the nearest one', () => {
  const two = turns([0, 1, 2], [1, 5, 6])
  expect(speakers([segment([0, 0.4], [2.5, 3], [4, 4.4], [9, 9.5])], two)).toEqual([0, 0, 1, 1])
})

test('a word without length has the speaker of the turn that it lies in', () => {
  expect(speakers([segment([0.5, 0.5], [2.5, 2.5])], turns([0, 0, 1], [1, 2, 3]))).toEqual([0, 1])
})

test('of two equals the speaker of the word before wins, then the earlier turn', () => {
  const two = turns([0, 0, 1], [1, 1.2, 3])
  expect(speakers([segment([0.9, 1.3])], two)).toEqual([0])
  expect(speakers([segment([0, 0.2], [2, 2.5], [0.9, 1.3])], two)).toEqual([0, 1, 1])
  expect(speakers([segment([2, 2.5], [1.05, 1.15])], two)).toEqual([0, 0])
})

test('speakers are numbered by their first word; who has no word has no number', () => {
  const three = turns([0, 0, 1], [1, 1, 2], [2, 2, 3])
  expect(speakers([segment([2.2, 2.5], [1.2, 1.5], [2.6, 2.9])], three)).toEqual([0, 1, 0])
  expect(speakers([segment([1.2, 1.5], [2.2, 2.5])], three)).toEqual([0, 1])
})

test('without turns there is one speaker, and without segments there is no word', () => {
  expect(speakers([segment([0, 1], [1, 2])], [])).toEqual([0, 0])
  expect(speakers([], turns([0, 0, 1]))).toEqual([])
})

test('a segment without words is one word; what a word has stays', () => {
  const silent: TranscriptSegment = { type: 'segment', text: 'good morning', startSeconds: 1, endSeconds: 2 }
  expect([...assignSpeakers([silent], turns([0, 0, 3]))]).toEqual([
    { text: 'good morning', startSeconds: 1, endSeconds: 2, speaker: 0, beginsSegment: true },
  ])
  const [scored] = assignSpeakers(
    [{ ...silent, words: [{ text: 'good', startSeconds: 1, endSeconds: 1.5, score: 0.5 }] }],
    turns([0, 0, 3]),
  )
  expect(scored).toEqual({
    text: 'good',
    startSeconds: 1,
    endSeconds: 1.5,
    score: 0.5,
    speaker: 0,
    beginsSegment: true,
  })
})

test('each word has exactly one speaker, in time that does not grow with words times turns', () => {
  const many = Array.from({ length: 50_000 }, (_, index) => [index % 7, index, index + 1] as const)
  const words = many.map(([, start]) => [start + 0.2, start + 0.8] as const)
  const assigned = speakers([segment(...words)], turns(...many))
  expect(assigned).toEqual(many.map(([speaker]) => speaker))
})
