import { expect, test } from 'bun:test'
import { labelTurns } from './diarize.ts'
import { windowGrid } from './windows/window-grid.ts'

/** Windows of a second, one every 0.2 s. */
const shape = { windowSamples: 16_000, windowFrames: 50, frameShiftSamples: 320, frameFieldSamples: 400 }
const windowsASecond = 5

/** Returns the number of speakers found in a minute of one speaker, interrupted by another for `otherSeconds`. */
async function speakersOf(otherSeconds: number): Promise<number> {
  const grid = windowGrid(shape, 60 * 16_000)
  const masks = new Uint8Array(grid.windowCount * grid.windowFrames).fill(1)
  const voices = Array.from({ length: grid.windowCount }, (_, window) => {
    const isOther = window >= 100 && window < 100 + otherSeconds * windowsASecond
    return { window, local: 0, aloneFrames: 50, vector: isOther ? Float32Array.of(0, 1) : Float32Array.of(1, 0) }
  })
  const { turns } = await labelTurns({ masks, voices }, grid, {}, 0.7)
  return new Set(turns.map(({ speaker }) => speaker)).size
}

test('who speaks for four seconds is a speaker, and who speaks for less is not', async () => {
  expect(await speakersOf(3.8)).toBe(1)
  expect(await speakersOf(4)).toBe(2)
})
