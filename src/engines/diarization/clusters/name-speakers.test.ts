import { expect, test } from 'bun:test'
import { localSpeakers } from '../windows/powerset.ts'
import { likestSpeaker, nameSpeakers, nobody } from './name-speakers.ts'

const means = [Float32Array.of(1, 0), Float32Array.of(0, 1)]

function voice(window: number, local: number, vector: readonly [number, number]) {
  return { window, local, aloneFrames: 4, vector: Float32Array.from(vector) }
}

test('a voice is that of the speaker whose mean voice is most like it', () => {
  const { speakers } = nameSpeakers([voice(0, 0, [0.6, 0.8]), voice(1, 2, [0.8, 0.6])], 2, means)
  expect([...speakers.subarray(0, 3)]).toEqual([1, nobody, nobody])
  expect([...speakers.subarray(localSpeakers, localSpeakers + 3)]).toEqual([nobody, nobody, 0])
})

test('the less it is like another, the more it counts', () => {
  const { weights } = nameSpeakers([voice(0, 0, [1, 0]), voice(0, 1, [0.8, 0.6]), voice(0, 2, [0.7, 0.7])], 1, means)
  expect(weights[0]).toBe(1)
  expect(weights[1]).toBeCloseTo(0.22 ** 2, 5)
  expect(weights[2]).toBeCloseTo(0.02 ** 2, 5)
  expect(weights[3]).toBe(0)
})

test('of one speaker every voice counts fully; without speakers there is nobody', () => {
  expect(likestSpeaker(Float32Array.of(0, 1), [Float32Array.of(1, 0)])).toEqual({ speaker: 0, margin: 1 })
  expect(likestSpeaker(Float32Array.of(0, 1), []).speaker).toBe(nobody)
})
