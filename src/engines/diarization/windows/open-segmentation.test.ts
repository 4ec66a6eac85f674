import { expect, test } from 'bun:test'
import { openSegmentation } from './open-segmentation.ts'

/** A model whose likeliest classes are `classes` in the first frames and 0 in the others. */
function model(classes: readonly number[], shape = [1, 589, 7]) {
  return { run: async () => ({ shape, values: Uint8Array.from({ length: 589 }, (_, frame) => classes[frame] ?? 0) }) }
}

test('a model without metadata is taken for pyannote’s', async () => {
  const { shape, segment } = await openSegmentation(model([0, 1, 3, 6]), new Map())
  expect(shape).toEqual({ windowSamples: 160_000, windowFrames: 589, frameShiftSamples: 270, frameFieldSamples: 991 })
  expect([...(await segment(new Float32Array(160_000))).subarray(0, 5)]).toEqual([0, 0b001, 0b100, 0b110, 0])
})

// Before these limits, such metadata caused endless windows, speakers beyond the bits of a mask, or an allocation that
// killed the process.
test.each([
  ['receptive_field_shift', 'wide', 'from 1 to 960000'],
  ['receptive_field_shift', '0', 'from 1 to 960000'],
  ['receptive_field_size', '-991', 'from 1 to 960000'],
  ['window_size', '1e12', 'from 1 to 960000'],
  ['num_speakers', '9', 'from 1 to 8'],
  ['num_speakers', '2.5', 'from 1 to 8'],
  ['powerset_max_classes', '1000', 'from 1 to 8'],
])('metadata are refused that say %s = %s', async (name, value, range) => {
  const opening = openSegmentation(model([]), new Map([[name, value]]))
  await expect(opening).rejects.toThrow(`its metadata say ${name} = "${value}"; it must be a whole number ${range}`)
})

test.each([
  [[1, 589, 8], new Map(), 'has the shape [1, 589, 8] and not [1, frames, 7]'],
  [[589, 7], new Map(), 'has the shape [589, 7] and not [1, frames, 7]'],
  [[1, 100, 7], new Map(), 'its 100 frames of 270 samples do not make up a window of 160000'],
  [[1, 589, 7], new Map([['sample_rate', '8000']]), 'it segments audio of 8000 Hz'],
] as const)('an output of the shape %p is refused where it does not fit', async (shape, metadata, reason) => {
  await expect(openSegmentation(model([], [...shape]), metadata)).rejects.toThrow(reason)
})
