import { expect, test } from 'bun:test'
import { type NamedSpeakers, nobody } from '../clusters/name-speakers.ts'
import { localSpeakers } from '../windows/powerset.ts'
import type { WindowGrid } from '../windows/window-grid.ts'
import { frameSpeakers } from './frame-speakers.ts'

/** Windows of four frames, each starting two frames after the one before. */
function grid(windowCount: number, frameCount = 2 * windowCount + 2): WindowGrid {
  const shape = { windowSamples: 4, windowFrames: 4, frameShiftSamples: 1, frameFieldSamples: 1 }
  return { ...shape, windowCount, stepFrames: 2, frameCount }
}

/** Returns the speakers named for each window's local speakers, with votes of equal weight. */
function named(...windows: readonly (readonly number[])[]): NamedSpeakers {
  const speakers = new Int16Array(windows.length * localSpeakers).fill(nobody)
  for (const [window, own] of windows.entries()) speakers.set(own, window * localSpeakers)
  return { speakers, weights: new Float32Array(speakers.length).fill(1) }
}

test('each frame has the speaker whom the windows hear, whatever number he has in them', () => {
  const masks = Uint8Array.of(1, 1, 0, 2, /**/ 0, 1, 1, 0)
  const found = frameSpeakers({ grid: grid(2), masks, ...named([0, 1], [1]) }, 2)
  expect([...found]).toEqual([0, 0, nobody, 1, 1, nobody])
})

test('it is speech where half of the windows or more hear some', () => {
  const masks = Uint8Array.of(0, 0, 1, 0, /**/ 0, 0, 0, 1, /**/ 0, 0, 0, 0)
  const found = frameSpeakers({ grid: grid(3), masks, ...named([0], [0], [0]) }, 1)
  expect([...found]).toEqual([nobody, nobody, 0, nobody, nobody, 0, nobody, nobody])
})

test('of those who speak at once, whom most windows hear has the frame; of equals who had the last one', () => {
  const masks = Uint8Array.of(2, 2, 3, 1, /**/ 3, 1, 1, 0)
  const found = frameSpeakers({ grid: grid(2), masks, ...named([0, 1], [0, 1]) }, 2)
  expect([...found]).toEqual([1, 1, 1, 0, 0, nobody])
})

test('a window whose voice is clear outweighs two whose voices are not', () => {
  const masks = Uint8Array.of(0, 0, 1, 1, /**/ 1, 1, 0, 0)
  const { speakers } = named([0], [1])
  const weights = Float32Array.from(speakers, (speaker) => (speaker === 0 ? 0.1 : 0.3))
  const found = frameSpeakers({ grid: grid(2), masks, speakers, weights }, 2)
  expect([...found]).toEqual([nobody, nobody, 1, 1, nobody, nobody])
})

test('who is unknown in all windows has no frame', () => {
  const masks = Uint8Array.of(1, 1, 1, 1)
  expect([...frameSpeakers({ grid: grid(1), masks, ...named([nobody]) }, 1)]).toEqual([-1, -1, -1, -1])
  expect([...frameSpeakers({ grid: grid(1, 2), masks, ...named([0]) }, 1)]).toEqual([0, 0])
})
