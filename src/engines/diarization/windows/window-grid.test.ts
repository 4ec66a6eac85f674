import { expect, test } from 'bun:test'
import { frameStartSeconds, type WindowShape, windowGrid, windowStart } from './window-grid.ts'

/** Shape of pyannote's segmentation-3.0. */
const shape: WindowShape = { windowSamples: 160_000, windowFrames: 589, frameShiftSamples: 270, frameFieldSamples: 991 }

test('windows start about a fifth of a window apart, on a frame of the recording', () => {
  const grid = windowGrid(shape, 16_000 * 60)
  expect(grid.stepFrames).toBe(118)
  expect(windowStart(grid, 3)).toBe(3 * 118 * 270)
  // The last window reaches the end of the recording, and the one before it does not.
  expect(windowStart(grid, grid.windowCount - 1) + 160_000).toBeGreaterThanOrEqual(16_000 * 60)
  expect(windowStart(grid, grid.windowCount - 2) + 160_000).toBeLessThan(16_000 * 60)
})

test.each([
  ['nothing', 0],
  ['one sample', 1],
  ['a window less a sample', 159_999],
  ['a window', 160_000],
])('one window hears %s', (_, samples) => {
  expect(windowGrid(shape, samples).windowCount).toBe(1)
})

test('one sample more than a window has a second one', () => {
  expect(windowGrid(shape, 160_001).windowCount).toBe(2)
})

test('frames end with the recording', () => {
  expect(windowGrid(shape, 0).frameCount).toBe(0)
  expect(windowGrid(shape, 27_000).frameCount).toBe(100)
  expect(windowGrid(shape, 160_000).frameCount).toBe(589)
})

test('a frame starts halfway between its middle and that of the one before', () => {
  const grid = windowGrid(shape, 160_000)
  expect(frameStartSeconds(grid, 0)).toBeCloseTo((991 / 2 - 135) / 16_000, 9)
  expect(frameStartSeconds(grid, 100)).toBeCloseTo((27_000 + 991 / 2 - 135) / 16_000, 9)
})
