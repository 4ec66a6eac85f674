import { expect, test } from 'bun:test'
import { hearWindows } from './hear-windows.ts'
import { filterbank, filterCount } from './voices/filterbank.ts'
import { windowGrid } from './windows/window-grid.ts'

/** Windows of a second. */
const shape = { windowSamples: 16_000, windowFrames: 50, frameShiftSamples: 320, frameFieldSamples: 400 }

/** Returns the voices heard in one window, and the number of energy frames of each. */
async function hear(...runs: readonly (readonly [mask: number, frames: number])[]) {
  const masks = Uint8Array.from(runs.flatMap(([mask, frames]) => new Array<number>(frames).fill(mask)))
  const frames: number[] = []
  const hearing = {
    segmentation: { shape, segment: async () => masks },
    embedding: {
      toEnergies: filterbank({ window: 'povey', scale: 1, highestHz: 8000 }),
      embed: async (energies: Float32Array) => {
        frames.push(energies.length / filterCount)
        return Float32Array.of(3, 4)
      },
    },
  }
  const nothing = { path: '/dev/null', sampleCount: 0 }
  const { voices } = await hearWindows(hearing, nothing, windowGrid(shape, 16_000), { first: 0, count: 1 })
  return { frames, voices }
}

test('a voice is heard where it is alone, and has the length 1', async () => {
  const { frames, voices } = await hear([0, 10], [0b1, 20], [0b11, 15], [0, 5])
  expect(frames).toEqual([40, 30])
  expect(voices).toEqual([
    { window: 0, local: 0, aloneFrames: 20, vector: Float32Array.of(0.6, 0.8) },
    { window: 0, local: 1, aloneFrames: 0, vector: Float32Array.of(0.6, 0.8) }, // never alone: heard beside the other
  ])
})

test('a voice that is alone for less than 0.2 s is heard beside others too', async () => {
  const { frames } = await hear([0, 10], [0b1, 5], [0b11, 20], [0, 15])
  expect(frames).toEqual([50, 40])
})

test('a voice with less than 0.2 s of speech is not known', async () => {
  expect((await hear([0, 10], [0b1, 8], [0, 32])).voices).toEqual([])
  expect((await hear([0, 10], [0b1, 10], [0, 30])).voices).toHaveLength(1)
})
