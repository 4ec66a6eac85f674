import { expect, test } from 'bun:test'
import { filterbank, filterCount, frameCount } from './filterbank.ts'
import reference from './fixtures/filterbank.json'
import { pairedSpectra } from './fourier.ts'

/** A chirp, a tone and a little noise: 7 frames. */
const samples = Float32Array.from({ length: 1360 }, (_, index) => {
  const chirp = 0.3 * Math.sin((2 * Math.PI * (200 + (3 * index) / 16) * index) / 16000)
  const tone = 0.1 * Math.sin((2 * Math.PI * 3100 * index) / 16000 + 1)
  return chirp + tone + (0.02 * (((index * 7919) % 101) - 50)) / 50
})

// Frames 0, 3 and 6 by numpy's FFT in double precision; those of the Povey window agree with torchaudio's to 4e-4.
test.each([
  ['Kaldi’s window, as 3D-Speaker wants it', { window: 'povey', scale: 1, highestHz: 7600 }, reference.povey],
  [
    'a Hamming window of 16-bit samples, as WeSpeaker wants it',
    { window: 'hamming', scale: 32_768, highestHz: 8000 },
    reference.hamming,
  ],
] as const)('energies equal the reference: %s', (_, settings, expected) => {
  const energies = filterbank(settings)(samples)
  expect(energies.length).toBe(7 * filterCount)
  const rows = [0, 3, 6].map((frame) => energies.subarray(frame * filterCount, (frame + 1) * filterCount))
  const differences = rows.flatMap((row, index) =>
    [...row].map((value, at) => Math.abs(value - (expected[index]?.[at] ?? 0))),
  )
  expect(Math.max(...differences)).toBeLessThan(1e-3)
})

test('frames lie wholly within the samples', () => {
  expect([0, 399, 400, 559, 560, 16_000].map(frameCount)).toEqual([0, 0, 1, 1, 2, 98])
  const toEnergies = filterbank({ window: 'povey', scale: 1, highestHz: 8000 })
  expect(toEnergies(samples.subarray(0, 399)).length).toBe(0)
  // A frame's result does not depend on the frame that it is transformed together with.
  const all = toEnergies(samples)
  expect(toEnergies(samples.subarray(160))).toEqual(all.slice(filterCount))
})

test('silence has the lowest energy there is', () => {
  const [first] = filterbank({ window: 'hamming', scale: 32_768, highestHz: 8000 })(new Float32Array(400))
  expect(first).toBeCloseTo(Math.log(1.1920929e-7), 4)
})

test('the power spectra of two signals that are transformed together', () => {
  const spectra = pairedSpectra(8)
  const first = [1, 2, 3, 4, 0, 0, 0, 0]
  const second = [0, 1, 0, -1, 0, 1, 0, -1]
  spectra.first.set(first)
  spectra.second.set(second)
  spectra.transform()
  const byDefinition = (signal: readonly number[]) =>
    Array.from({ length: 4 }, (_, bin) => {
      const of = (wave: (angle: number) => number) =>
        signal.reduce((sum, value, index) => sum + value * wave((2 * Math.PI * bin * index) / 8), 0)
      return of(Math.cos) ** 2 + of(Math.sin) ** 2
    })
  for (const [power, signal] of [
    [spectra.firstPower, first],
    [spectra.secondPower, second],
  ] as const) {
    const expected = byDefinition(signal)
    for (const [bin, value] of power.entries()) expect(value).toBeCloseTo(expected[bin] ?? 0, 9)
  }
})
