import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { audioSampleRateHz } from '../../../core/speech.ts'
import { type Chunk, type CutRules, SpeechCutter, windowSamples } from './speech-cutter.ts'

const windowSeconds = windowSamples / audioSampleRateHz
const rules: CutRules = { enoughSeconds: 12, limitSeconds: 28 }

/** `[true, 3]`: three seconds of speech. */
type Part = readonly [isSpeech: boolean, seconds: number]

function cut(parts: readonly Part[], level = (_at: number) => 1, own: Partial<CutRules> = {}): Chunk[] {
  const cutter = new SpeechCutter({ ...rules, ...own })
  const chunks: (Chunk | undefined)[] = []
  let at = 0
  for (const [isSpeech, seconds] of parts)
    for (let left = Math.round(seconds / windowSeconds); left > 0; left--)
      chunks.push(cutter.add(isSpeech, level(at++)))
  chunks.push(cutter.end())
  return chunks.filter((chunk) => chunk !== undefined)
}

function inSeconds(chunks: readonly Chunk[]): [number, number][] {
  return chunks.map(({ start, end }) => [round(start / audioSampleRateHz), round(end / audioSampleRateHz)])
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}

test('silence and clicks are no chunks', () => {
  expect(cut([])).toEqual([])
  expect(cut([[false, 60]])).toEqual([])
  expect(
    cut([
      [false, 5],
      [true, 0.06],
      [false, 5],
    ]),
  ).toEqual([])
})

test('a chunk has a little of the silence around it', () => {
  const [chunk] = cut([
    [false, 3],
    [true, 2],
    [false, 3],
  ])
  expect(inSeconds(chunk === undefined ? [] : [chunk])).toEqual([[2.6, 5.4]])
  expect(chunk?.speech.map(({ start, end }) => [round(start / 16_000), round(end / 16_000)])).toEqual([[3, 5]])
})

test('the first and the last chunk stay within the recording', () => {
  expect(inSeconds(cut([[true, 2]]))).toEqual([[0, 2]])
})

test('short pauses are bridged, and stretches joined until there is enough', () => {
  const sentence: Part[] = [
    [true, 4],
    [false, 0.5],
  ]
  const chunks = cut([...sentence, ...sentence, ...sentence, ...sentence])
  expect(inSeconds(chunks)).toEqual([
    [0, 13.2],
    [13.2, 18],
  ])
  expect(chunks.map(({ speech }) => speech.length)).toEqual([3, 1])
  expect(
    cut([
      [true, 1],
      [false, 0.1],
      [true, 1],
    ])[0]?.speech,
  ).toHaveLength(1)
})

test('a client may say how long pauses are, and what is kept before speech', () => {
  const parts: Part[] = [
    [false, 3],
    [true, 1],
    [false, 0.6],
    [true, 1],
    [false, 3],
  ]
  const heard = (own: Partial<CutRules>) =>
    cut(parts, undefined, own).map((chunk) => [...inSeconds([chunk]), chunk.speech.length])
  expect(heard({})).toEqual([[[2.6, 6], 2]])
  expect(heard({ silenceSeconds: 0.7 })).toEqual([[[2.6, 6], 1]])
  expect(heard({ silenceSeconds: 10 })).toEqual([[[2.6, 6], 1]])
  expect(heard({ paddingSeconds: 1 })).toEqual([[[2, 6], 2]])
  expect(heard({ paddingSeconds: 0 })).toEqual([[[3, 6], 2]])
})

test('a long gap ends a chunk', () => {
  expect(
    inSeconds(
      cut([
        [true, 1],
        [false, 2],
        [true, 1],
      ]),
    ),
  ).toEqual([
    [0, 1.4],
    [2.6, 4],
  ])
})

test('speech without an end is cut in its longest pause, or where it is quietest', () => {
  expect(
    inSeconds(
      cut([
        [true, 20],
        [false, 0.15],
        [true, 20],
      ]),
    ),
  ).toEqual([
    [0, 20.1],
    [20.1, 40.2],
  ])
  const quietAt = Math.round(22 / windowSeconds)
  const chunks = cut([[true, 40]], (at) => (at === quietAt ? 0.1 : 1))
  expect(inSeconds(chunks)).toEqual([
    [0, 22],
    [22, 40],
  ])
})

test('whatever is heard, chunks are in order and short enough, and have all long stretches of speech', () => {
  const parts = fc.array(fc.tuple(fc.boolean(), fc.double({ min: 0.01, max: 40, noNaN: true })), { maxLength: 30 })
  const own = fc.record(
    {
      silenceSeconds: fc.double({ min: 0, max: 10, noNaN: true }),
      paddingSeconds: fc.double({ min: 0, max: 1, noNaN: true }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(parts, own, (heard, clients) => {
      const chunks = cut(heard, undefined, clients)
      const isOwn = Object.keys(clients).length > 0
      let before = 0
      for (const { start, end, speech } of chunks) {
        expect(start).toBeGreaterThanOrEqual(before)
        expect(end - start).toBeLessThanOrEqual((isOwn ? 30 : 29) * audioSampleRateHz)
        expect(speech.length).toBeGreaterThan(0)
        let last = start
        for (const stretch of speech) {
          expect(stretch.start).toBeGreaterThanOrEqual(last)
          expect(stretch.end).toBeGreaterThan(stretch.start)
          last = stretch.end
        }
        expect(last).toBeLessThanOrEqual(end)
        before = end
      }
      let at = 0
      for (const [isSpeech, seconds] of heard) {
        const length = Math.round(seconds / windowSeconds) * windowSamples
        const middle = at + length / 2
        if (isSpeech && seconds > 0.2)
          expect(chunks.some(({ start, end }) => start <= middle && middle <= end)).toBe(true)
        at += length
      }
    }),
    { numRuns: 100 },
  )
})
