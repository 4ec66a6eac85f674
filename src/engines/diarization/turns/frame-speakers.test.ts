import { expect, test } from 'bun:test'
import type { WindowGrid } from '../windows/window-grid.ts'
import { frameSpeakers, localSpeakers, nobody } from './frame-speakers.ts'

/** Windows of four frames, each of which starts two frames after the one before. */
function grid(windowCount: number, frameCount = 2 * windowCount + 2): WindowGrid {
  const shape = { windowSamples: 4, windowFrames: 4, frameShiftSamples: 1, frameFieldSamples: 1 }
  return { ...shape, windowCount, stepFrames: 2, frameCount }
}

/** The speakers of each window's own speakers. */
function named(...windows: readonly (readonly number[])[]): Int16Array {
  const speakers = new Int16Array(windows.length * localSpeakers).fill(nobody)
  for (const [window, own] of windows.entries()) speakers.set(own, window * localSpeakers)
  return speakers
}

test('each frame has the speaker whom the windows hear, whatever number he has in them', () => {
  const masks = Uint8Array.of(1, 1, 0, 2, /**/ 0, 1, 1, 0)
  const found = frameSpeakers({ grid: grid(2), masks, speakers: named([0, 1], [1]) }, 2)
  expect([...found]).toEqual([0, 0, nobody, 1, 1, nobody])
})

test('it is speech where half of the windows or more hear some', () => {
  const masks = Uint8Array.of(0, 0, 1, 0, /**/ 0, 0, 0, 1, /**/ 0, 0, 0, 0)
  const found = frameSpeakers({ grid: grid(3), masks, speakers: named([0], [0], [0]) }, 1)
  expect([...found]).toEqual([nobody, nobody, 0, nobody, nobody, 0, nobody, nobody])
})

test('of those who speak at once, whom most windows hear has the frame; of equals who had the last one', () => {
  const masks = Uint8Array.of(2, 2, 3, 1, /**/ 3, 1, 1, 0)
  const found = frameSpeakers({ grid: grid(2), masks, speakers: named([0, 1], [0, 1]) }, 2)
  expect([...found]).toEqual([1, 1, 1, 0, 0, nobody])
})

test('who is unknown in all windows has no frame', () => {
  const masks = Uint8Array.of(1, 1, 1, 1)
  expect([...frameSpeakers({ grid: grid(1), masks, speakers: named([nobody]) }, 1)]).toEqual([-1, -1, -1, -1])
  expect([...frameSpeakers({ grid: grid(1, 2), masks, speakers: named([0]) }, 1)]).toEqual([0, 0])
})
