import { audioSampleRateHz } from '../../../core/speech.ts'
import { pairedSpectra } from './fourier.ts'

/** Settings with which a model was trained. */
export interface FilterbankSettings {
  readonly window: 'hamming' | 'povey'
  /** Factor for samples of -1 to 1. */
  readonly scale: number
  /** Upper end of the highest filter. */
  readonly highestHz: number
}

/** Numbers per frame. */
export const filterCount = 80

const frameSamples = 400 // 25 ms
/** Distance between the starts of two frames: 10 ms. */
export const frameShiftSamples = 160
const spectrumSize = 512
const preemphasis = 0.97
const lowestHz = 20
/** Least energy, because 0 has no logarithm: single precision's epsilon, as in Kaldi. */
const floor = 1.1920929e-7

/** Returns the number of frames that fit completely into `sampleCount` samples. */
export function frameCount(sampleCount: number): number {
  return sampleCount < frameSamples ? 0 : 1 + Math.floor((sampleCount - frameSamples) / frameShiftSamples)
}

/** Returns the middle of a frame, in samples from the start of the audio. */
export function frameCentre(frame: number): number {
  return frame * frameShiftSamples + frameSamples / 2
}

/**
 * Creates a function that computes the logarithmic mel filterbank energies of samples between -1 and 1, `filterCount`
 * per frame, like Kaldi's `compute-fbank-feats` without dither.
 */
export function filterbank({ window, scale, highestHz }: FilterbankSettings): (samples: Float32Array) => Float32Array {
  const spectra = pairedSpectra(spectrumSize)
  const weights = windowWeights(window)
  const filters = melFilters(highestHz)
  const fill = (target: Float64Array, samples: Float32Array, start: number) => {
    let sum = 0
    for (let index = 0; index < frameSamples; index++) sum += samples[start + index] as number
    const mean = sum / frameSamples
    let before = (samples[start] as number) - mean
    for (let index = 0; index < frameSamples; index++) {
      const sample = (samples[start + index] as number) - mean
      target[index] = (sample - preemphasis * before) * (weights[index] as number) * scale
      before = sample
    }
    target.fill(0, frameSamples)
  }
  const write = (energies: Float32Array, frame: number, power: Float64Array) => {
    for (const [index, { firstBin, weights }] of filters.entries()) {
      let energy = 0
      for (let bin = 0; bin < weights.length; bin++)
        energy += (power[firstBin + bin] as number) * (weights[bin] as number)
      energies[frame * filterCount + index] = Math.log(Math.max(floor, energy))
    }
  }
  return (samples) => {
    const frames = frameCount(samples.length)
    const energies = new Float32Array(frames * filterCount)
    for (let frame = 0; frame < frames; frame += 2) {
      const hasSecond = frame + 1 < frames
      fill(spectra.first, samples, frame * frameShiftSamples)
      if (hasSecond) fill(spectra.second, samples, (frame + 1) * frameShiftSamples)
      else spectra.second.fill(0)
      spectra.transform()
      write(energies, frame, spectra.firstPower)
      if (hasSecond) write(energies, frame + 1, spectra.secondPower)
    }
    return energies
  }
}

/** Returns the weights. Kaldi's own window is a Hann window to the power of 0.85. */
function windowWeights(window: FilterbankSettings['window']): Float64Array {
  return Float64Array.from({ length: frameSamples }, (_, index) => {
    const cosine = Math.cos((2 * Math.PI * index) / (frameSamples - 1))
    return window === 'hamming' ? 0.54 - 0.46 * cosine : (0.5 - 0.5 * cosine) ** 0.85
  })
}

interface MelFilter {
  readonly firstBin: number
  readonly weights: Float64Array
}

/** Returns triangles of equal width and half overlap on the mel scale. */
function melFilters(highestHz: number): readonly MelFilter[] {
  const [lowest, highest] = [mel(lowestHz), mel(highestHz)]
  const width = (highest - lowest) / (filterCount + 1)
  const bins = Array.from({ length: spectrumSize / 2 }, (_, bin) => mel((bin * audioSampleRateHz) / spectrumSize))
  return Array.from({ length: filterCount }, (_, index) => {
    const left = lowest + index * width
    const all = bins.map((frequency) => Math.max(0, 1 - Math.abs((frequency - left) / width - 1)))
    const firstBin = all.findIndex((weight) => weight > 0)
    const end = all.findLastIndex((weight) => weight > 0) + 1
    return { firstBin, weights: Float64Array.from(firstBin < 0 ? [] : all.slice(firstBin, end)) }
  })
}

function mel(hertz: number): number {
  return 1127 * Math.log(1 + hertz / 700)
}
