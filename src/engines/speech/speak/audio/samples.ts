/** Converts a model's samples of a sentence into output samples. */

/** Amplitude below which a sample is silence: -46 dB. */
const silence = 0.005
/** Silence kept on either side, so that no sound is cut. */
const marginSeconds = 0.03

/**
 * Returns a sentence without the silence that a model adds around it, which would lengthen the pauses. Empty if there
 * is only silence.
 */
export function trimSilence(samples: Float32Array, sampleRateHz: number): Float32Array {
  const isLoud = (sample: number) => Math.abs(sample) >= silence
  const first = samples.findIndex(isLoud)
  if (first < 0) return new Float32Array(0)
  const last = samples.findLastIndex(isLoud)
  const margin = Math.round(marginSeconds * sampleRateHz)
  return samples.subarray(Math.max(0, first - margin), Math.min(samples.length, last + 1 + margin))
}

/** Length of the fade at both ends of a sentence. A step from a sample to silence would click. */
const fadeSeconds = 0.005

/** Returns faded 16-bit samples, followed by `pauseSeconds` of silence. Clips samples beyond full scale. */
export function toPcm(samples: Float32Array, sampleRateHz: number, pauseSeconds: number): Int16Array {
  const pcm = new Int16Array(samples.length + Math.round(pauseSeconds * sampleRateHz))
  const fade = Math.min(Math.floor(samples.length / 2), Math.round(fadeSeconds * sampleRateHz))
  for (let index = 0; index < samples.length; index++) {
    const gain = Math.min(1, (index + 1) / fade, (samples.length - index) / fade)
    pcm[index] = Math.max(-32_768, Math.min(32_767, Math.round((samples[index] ?? 0) * gain * 32_767)))
  }
  return pcm
}
