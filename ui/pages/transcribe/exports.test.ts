import { expect, test } from 'bun:test'
import { cuesOf, exports } from './exports.ts'
import { editedTurns, merge, nameOf, noEdits, rename, shares } from './speakers.ts'
import { toTranscript } from './transcript.ts'

const answer = {
  ...{ text: 'Hi. <b> Bye.', language: 'en', duration: 5, speakers: ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_02'] },
  speaker_segments: [
    { ...{ speaker_id: 'SPEAKER_00', start: 0, end: 1, text: 'Hi.' }, words: [{ word: 'Hi.', start: 0, end: 1 }] },
    { ...{ speaker_id: 'SPEAKER_01', start: 1, end: 2.5, text: '<b>' }, words: [{ word: '<b>', start: 1, end: 2.5 }] },
    {
      ...{ speaker_id: 'SPEAKER_02', start: 3661, end: 3662.5, text: 'Bye.' },
      words: [{ word: 'Bye.', start: 3661, end: 3662.5 }],
    },
  ],
}
const transcript = toTranscript(answer)
const named = rename(rename(noEdits, 'SPEAKER_00', ' Anna '), 'SPEAKER_01', 'A --> B')

test('names go into text, subtitles and JSON, whose labels stay', () => {
  const exported = { transcript, answer, edits: named }
  expect(exports.txt(exported)).toBe('Anna: Hi.\nA → B: <b>\nSPEAKER_02: Bye.\n')
  expect(exports.srt(exported)).toBe(
    '1\n00:00:00,000 --> 00:00:01,000\nAnna: Hi.\n\n2\n00:00:01,000 --> 00:00:02,500\nA → B: <b>\n\n' +
      '3\n01:01:01,000 --> 01:01:02,500\nSPEAKER_02: Bye.\n\n',
  )
  expect(exports.vtt(exported)).toStartWith(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nAnna: Hi.\n\n00:00:01.000 --> 00:00:02.500\nA → B: &lt;b>\n\n',
  )
  const json = JSON.parse(exports.json(exported))
  expect(json.speaker_segments).toEqual(answer.speaker_segments)
  expect(json.speaker_names).toEqual({ SPEAKER_00: 'Anna', SPEAKER_01: 'A --> B', SPEAKER_02: 'SPEAKER_02' })
})

test('merged speakers have one name, one share, and one turn where they follow each other', () => {
  const edits = merge(merge(named, 'SPEAKER_01', 'SPEAKER_00'), 'SPEAKER_00', 'SPEAKER_02')
  expect(['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_02'].map((label) => nameOf(edits, label))).toEqual([
    'SPEAKER_02',
    'SPEAKER_02',
    'SPEAKER_02',
  ])
  const two = merge(named, 'SPEAKER_01', 'SPEAKER_00')
  const turns = editedTurns(transcript.turns, two)
  expect(turns.map(({ speaker, end }) => [speaker, end])).toEqual([
    ['SPEAKER_00', 2.5],
    ['SPEAKER_02', 3662.5],
  ])
  expect([...shares(turns)]).toEqual([
    ['SPEAKER_00', 0.625],
    ['SPEAKER_02', 0.375],
  ])
  expect(exports.txt({ transcript, answer, edits: two })).toBe('Anna: Hi. <b>\nSPEAKER_02: Bye.\n')
})

test('an emptied name is the label again', () => {
  expect(nameOf(rename(named, 'SPEAKER_00', '  '), 'SPEAKER_00')).toBe('SPEAKER_00')
})

test('cues end at pauses, and before they have more text or last longer than one can read', () => {
  const words = (count: number, stepSeconds: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ text: 'abcdefghi', space: index === 0 ? '' : ' ', score: undefined },
      ...{ start: index * stepSeconds, end: index * stepSeconds + 0.3 },
    }))
  const lengths = (count: number, stepSeconds: number) =>
    cuesOf([{ speaker: undefined, start: 0, end: 99, words: words(count, stepSeconds) }]).map((cue) => cue.words.length)
  expect(lengths(10, 0.3)).toEqual([8, 2])
  expect(lengths(3, 1.2)).toEqual([1, 1, 1])
  expect(lengths(9, 1)).toEqual([7, 2])
})
