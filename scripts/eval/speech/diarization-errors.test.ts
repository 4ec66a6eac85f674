import { expect, test } from 'bun:test'
import { diarizationErrorRate, diarizationErrors, matchedSpeakers } from './diarization-errors.ts'
import { type LabelledTurn, readRttm, readUem } from './turns.ts'

/** `A 0-10, B 5-7`. */
function turns(text: string): LabelledTurn[] {
  return [...text.matchAll(/(\w+) ([\d.]+)-([\d.]+)/g)].map(([, speaker = '', start, end]) => ({
    speaker,
    startSeconds: Number(start),
    endSeconds: Number(end),
  }))
}

const minute = [{ startSeconds: 0, endSeconds: 60 }]
/** Rounds to hundredths of a second, so that figures are exact. */
const hundredths = (seconds: number) => Math.round(seconds * 100)

interface Case {
  readonly name: string
  readonly reference: string
  readonly hypothesis: string
  readonly collar?: number
  readonly scored?: string
  /** Seconds of speech, missed, false alarm and confusion. */
  readonly expected: readonly number[]
}

const cases: readonly Case[] = [
  {
    name: 'the same under other names',
    reference: 'A 0-10, B 10-20',
    hypothesis: 'x 0-10, y 10-20',
    expected: [20, 0, 0, 0],
  },
  { name: 'nothing is heard', reference: 'A 0-10', hypothesis: '', expected: [10, 10, 0, 0] },
  { name: 'nobody speaks', reference: '', hypothesis: 'x 0-4', expected: [0, 0, 4, 0] },
  { name: 'a late start and a late end', reference: 'A 1-10', hypothesis: 'x 2-12', expected: [9, 1, 2, 0] },
  { name: 'two speakers taken for one', reference: 'A 0-10, B 10-14', hypothesis: 'x 0-14', expected: [14, 0, 0, 4] },
  { name: 'one speaker taken for two', reference: 'A 0-10', hypothesis: 'x 0-7, y 7-10', expected: [10, 0, 0, 3] },
  {
    name: 'overlap of which one is heard',
    reference: 'A 0-10, B 8-12',
    hypothesis: 'x 0-10, y 10-12',
    expected: [14, 2, 0, 0],
  },
  { name: 'two at once where one speaks', reference: 'A 0-10', hypothesis: 'x 0-10, y 4-5', expected: [10, 0, 1, 0] },
  {
    name: 'the match with the largest sum, not the largest pair',
    reference: 'A 0-19, B 20-29',
    hypothesis: 'x 0-10, x 20-29, y 10-19',
    expected: [28, 0, 0, 10],
  },
  {
    name: 'a collar around each boundary',
    reference: 'A 1-10',
    hypothesis: 'x 1.2-10.4',
    collar: 0.25,
    expected: [8.5, 0, 0.15, 0],
  },
  {
    name: 'turns that touch have no collar between them',
    reference: 'A 1-5, A 5-9',
    hypothesis: 'x 1-9',
    collar: 0.25,
    expected: [7.5, 0, 0, 0],
  },
  {
    name: 'only what is scored',
    reference: 'A 0-10, B 10-20',
    hypothesis: 'x 5-20',
    scored: 'u 8-12',
    expected: [4, 0, 0, 2],
  },
  {
    name: 'the same speaker twice at once counts once',
    reference: 'A 0-10, A 5-12',
    hypothesis: 'x 0-12, x 3-4',
    expected: [12, 0, 0, 0],
  },
]

test.each(cases)('$name', ({ reference, hypothesis, collar = 0, scored, expected }) => {
  const scoring = { scored: scored === undefined ? minute : turns(scored), collarSeconds: collar }
  const { speech, missed, falseAlarm, confusion } = diarizationErrors(turns(reference), turns(hypothesis), scoring)
  expect([speech, missed, falseAlarm, confusion].map(hundredths)).toEqual(expected.map(hundredths))
})

test('the rate is that of all speech', () => {
  const one = { speech: 10, missed: 1, falseAlarm: 2, confusion: 0 }
  expect(diarizationErrorRate([one, { speech: 30, missed: 0, falseAlarm: 0, confusion: 1 }])).toBe(0.1)
  expect(diarizationErrorRate([])).toBe(0)
})

test('speakers who never speak at the same time are not matched', () => {
  expect([...matchedSpeakers(turns('A 0-1, B 1-2'), turns('x 0.5-1.2, y 3-4'))]).toEqual([['x', 'A']])
})

test('RTTM and UEM are read by recording', () => {
  const rttm = `;; a comment
SPEAKER one 1 1.50 2.25 <NA> <NA> anna <NA> <NA>
SPEAKER two 1 0 1 <NA> <NA> ben <NA>
SPKR-INFO one 1 <NA> <NA> <NA> unknown anna <NA>
SPEAKER one 1 4 1 <NA> <NA> ben <NA> <NA>
`
  expect(readRttm(rttm)).toEqual(
    new Map([
      ['one', turns('anna 1.5-3.75, ben 4-5')],
      ['two', turns('ben 0-1')],
    ]),
  )
  expect(readUem('one 1 0.5 20\n\none 1 30 40\n')).toEqual(
    new Map([
      [
        'one',
        [
          { startSeconds: 0.5, endSeconds: 20 },
          { startSeconds: 30, endSeconds: 40 },
        ],
      ],
    ]),
  )
})

test.each(['SPEAKER one 1 x 1 <NA> <NA> a', 'SPEAKER one', 'SPEAKER'])('%j is no RTTM', (line) => {
  expect(() => readRttm(line)).toThrow('not a line of RTTM or UEM')
})
