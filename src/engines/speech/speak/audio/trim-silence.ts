/** Below this a sample is silence: -46 dB. */
const silence = 0.005
/** Kept of the silence on either side, so that no sound is cut. */
const marginSeconds = 0.03

/** A sentence without the silence that a model makes around it, which would add to our pauses. Nothing but silence: none of it. */
export function trimSilence(samples: Float32Array, sampleRateHz: number): Float32Array {
  const isLoud = (sample: number) => Math.abs(sample) >= silence
  const first = samples.findIndex(isLoud)
  if (first < 0) return new Float32Array(0)
  const last = samples.findLastIndex(isLoud)
  const margin = Math.round(marginSeconds * sampleRateHz)
  return samples.subarray(Math.max(0, first - margin), Math.min(samples.length, last + 1 + margin))
}
