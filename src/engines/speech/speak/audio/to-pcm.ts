/** Seconds over which a sentence comes and goes: a step from a sample to silence would be heard as a click. */
const fadeSeconds = 0.005

/** 16-bit samples with a soft beginning and end, and `pauseSeconds` of silence behind them. Louder than full scale is cut. */
export function toPcm(samples: Float32Array, sampleRateHz: number, pauseSeconds: number): Int16Array {
  const pcm = new Int16Array(samples.length + Math.round(pauseSeconds * sampleRateHz))
  const fade = Math.min(Math.floor(samples.length / 2), Math.round(fadeSeconds * sampleRateHz))
  for (const [index, sample] of samples.entries()) {
    const gain = Math.min(1, (index + 1) / fade, (samples.length - index) / fade)
    pcm[index] = Math.max(-32_768, Math.min(32_767, Math.round(sample * gain * 32_767)))
  }
  return pcm
}
