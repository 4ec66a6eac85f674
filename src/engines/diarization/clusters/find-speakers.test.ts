import { expect, test } from 'bun:test'
import type { SpeakerHint } from '../../../core/speech.ts'
import type { Voice } from '../hear-windows.ts'
import { findSpeakers, type SpeakerRules } from './find-speakers.ts'

const rules: SpeakerRules = { threshold: 0.7, leastFrames: 800 }

/** A voice near one of the axes. */
function voice(window: number, axis: number, { aloneFrames = 200, noise = 0.05 } = {}): Voice {
  const vector = Float32Array.from({ length: 8 }, (_, index) => {
    const jitter = Math.sin(window * 7.3 + index * 3.1 + axis) * noise
    return (index === axis ? 1 : 0) + jitter
  })
  const length = Math.hypot(...vector)
  return { window, local: 0, aloneFrames, vector: vector.map((value) => value / length) }
}

function many(count: number, axis: number, from = 0): Voice[] {
  return Array.from({ length: count }, (_, index) => voice(from + index, axis))
}

/** Returns the axes on which the speakers' mean voices lie. */
async function axes(voices: readonly Voice[], hint: SpeakerHint = {}): Promise<number[]> {
  const means = await findSpeakers(voices, hint, rules)
  for (const mean of means) expect(Math.hypot(...mean)).toBeCloseTo(1, 5)
  return means.map((mean) => mean.indexOf(Math.max(...mean))).sort()
}

test('there are as many speakers as voices differ by', async () => {
  expect(await axes([...many(30, 0), ...many(20, 1), ...many(10, 2)])).toEqual([0, 1, 2])
  expect(await axes(many(30, 3))).toEqual([3])
  expect(await axes([voice(0, 5)])).toEqual([5])
  expect(await axes([])).toEqual([])
})

test('a few voices unlike all others are no speaker, unless speakers are missing', async () => {
  const voices = [...many(30, 0), ...many(20, 1), voice(60, 2), voice(61, 2)]
  expect(await axes(voices)).toEqual([0, 1])
  expect(await axes(voices, { minimumSpeakers: 20 })).toContain(2)
})

test('the number of speakers keeps to the hint', async () => {
  const voices = [...many(30, 0), ...many(30, 1), ...many(30, 2)]
  expect(await axes(voices, { maximumSpeakers: 2 })).toHaveLength(2)
  expect(await axes(voices, { maximumSpeakers: 1 })).toHaveLength(1)
  expect(await axes(voices, { minimumSpeakers: 5, maximumSpeakers: 5 })).toHaveLength(5)
  expect(await axes(many(2, 0), { minimumSpeakers: 3 })).toHaveLength(2) // there are only two voices
})

test('voices that hardly speak alone weigh little', async () => {
  const unclear = Array.from({ length: 20 }, (_, index) => voice(100 + index, 4, { aloneFrames: 10 }))
  expect(await axes([...many(20, 0), ...unclear])).toEqual([0])
  expect(await axes(unclear)).toEqual([4])
  const neverAlone = unclear.map((each) => ({ ...each, aloneFrames: 0 }))
  expect(await axes(neverAlone)).toEqual([4])
})

test('a voice that was merged too early goes to the speaker that it is most like', async () => {
  const degrees = [
    [8, 100],
    [20, 10], // merges with the first, whose mean then moves away to -9 degrees
    [-16, 300],
    [40, 100],
  ] as const
  const voices = degrees.map(([degree, aloneFrames], window) => {
    const angle = (degree * Math.PI) / 180
    return { window, local: 0, aloneFrames, vector: Float32Array.of(Math.cos(angle), Math.sin(angle)) }
  })
  const means = await findSpeakers(voices, {}, { threshold: 0.5, leastFrames: 1 })
  const angles = means.map(([x = 0, y = 0]) => Math.round((Math.atan2(y, x) * 180) / Math.PI))
  expect(angles.sort((a, b) => a - b)).toEqual([-10, 38]) // without the voice 40 would stay
})

test('there are never more speakers than labels of two digits', async () => {
  const voices = Array.from({ length: 120 }, (_, axis): Voice => {
    const vector = new Float32Array(120)
    vector[axis] = 1
    return { window: axis, local: 0, aloneFrames: 100, vector }
  })
  for (const hint of [{}, { minimumSpeakers: 110 }, { minimumSpeakers: 110, maximumSpeakers: 120 }]) {
    const means = await findSpeakers(voices, hint, { threshold: 0.7, leastFrames: 1 })
    expect(means).toHaveLength(100)
  }
})

test('hours of voices are clustered in parts, with the same result', async () => {
  const hours = Array.from({ length: 6000 }, (_, index) => voice(index, [0, 1, 0, 2, 5][index % 5] ?? 0))
  expect(await axes(hours)).toEqual([0, 1, 2, 5])
  expect(await axes(hours, { minimumSpeakers: 3, maximumSpeakers: 3 })).toHaveLength(3)
})
