import { expect, test } from 'bun:test'
import type { WindowShape } from '../windows/window-grid.ts'
import { filterCount, frameCount } from './filterbank.ts'
import { speechOf, voiceEnergies } from './voice-frames.ts'

/** A window of one second in frames of 20 ms, whose middles are those of every second frame of the filterbank. */
const shape: WindowShape = { windowSamples: 16_000, windowFrames: 50, frameShiftSamples: 320, frameFieldSamples: 400 }

/** Three seconds of energies, each equal to the number of its frame. */
const energies = Float32Array.from({ length: frameCount(48_000) * filterCount }, (_, at) =>
  Math.floor(at / filterCount),
)

function masks(...runs: readonly (readonly [mask: number, frames: number])[]): Uint8Array {
  return Uint8Array.from(runs.flatMap(([mask, frames]) => new Array<number>(frames).fill(mask)))
}

function framesOf(own: Uint8Array, offsetSamples: number, local: number, isAlone: boolean): string {
  const voice = voiceEnergies({ energies, offsetSamples }, own, shape, { local, isAlone })
  const frames = Array.from({ length: voice.length / filterCount }, (_, index) => voice[index * filterCount] ?? 0)
  return frames.length === 0 ? 'none' : `${frames[0]}-${frames.at(-1)} (${frames.length})`
}

test('the frames are counted in which each speaker of a window speaks alone', () => {
  expect(speechOf(masks([0, 10], [1, 20], [0b101, 5], [0b100, 15]))).toEqual([
    { local: 0, aloneFrames: 20 },
    { local: 2, aloneFrames: 15 },
  ])
  expect(speechOf(masks([0, 50]))).toEqual([])
})

test('the energies of a voice are those of the frames in which it speaks, or speaks alone', () => {
  const own = masks([0, 10], [1, 10], [0b11, 10], [0b10, 20])
  expect(framesOf(own, 0, 0, true)).toBe('19-38 (20)')
  expect(framesOf(own, 0, 0, false)).toBe('19-58 (40)')
  expect(framesOf(own, 0, 1, true)).toBe('59-97 (39)') // the window's last frame ends before the second does
  expect(framesOf(own, 0, 2, false)).toBe('none')
})

test('a window that starts later has the energies from there on', () => {
  const own = masks([1, 50])
  expect(framesOf(own, 16_000, 0, true)).toBe('100-197 (98)')
  expect(framesOf(own, 32_000, 0, true)).toBe('200-297 (98)')
  expect(framesOf(own, 15_930, 0, true)).toBe('100-197 (98)')
})
