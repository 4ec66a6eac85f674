/** Converts samples of any rate to the format of spoken answers: 24 kHz, one channel. */
import { spokenSampleRateHz } from '../../../core/speech.ts'
import type { SampleForm } from './wav-samples.ts'

/** Converts 16-bit little-endian samples from pieces cut anywhere. Uses linear interpolation, as local engines do. */
export async function* toSpokenSamples(
  pieces: AsyncIterable<Uint8Array>,
  { sampleRateHz, channels }: SampleForm,
): AsyncGenerator<Uint8Array> {
  if (sampleRateHz === spokenSampleRateHz && channels === 1) {
    yield* pieces
    return
  }
  const resampler = new LinearResampler(sampleRateHz / spokenSampleRateHz)
  const frameBytes = channels * Int16Array.BYTES_PER_ELEMENT
  let rest = Buffer.alloc(0)
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece])
    const frames = Math.floor(bytes.length / frameBytes)
    rest = bytes.subarray(frames * frameBytes)
    const mono = Int16Array.from({ length: frames }, (_, frame) => {
      let sum = 0
      for (let channel = 0; channel < channels; channel++) sum += bytes.readInt16LE(frame * frameBytes + channel * 2)
      return Math.round(sum / channels)
    })
    const made = resampler.push(mono)
    if (made.length > 0) yield new Uint8Array(made.buffer)
  }
}

class LinearResampler {
  /** Input samples per output sample. */
  readonly #step: number
  /** Position of the next output sample, in samples after the last one of the previous pieces. */
  #at = 1
  #last = 0

  constructor(step: number) {
    this.#step = step
  }

  push(samples: Int16Array): Int16Array {
    const made: number[] = []
    const sample = (index: number) => (index === 0 ? this.#last : (samples[index - 1] ?? 0))
    for (; this.#at <= samples.length; this.#at += this.#step) {
      const index = Math.floor(this.#at)
      const share = this.#at - index
      made.push(Math.round(share === 0 ? sample(index) : sample(index) * (1 - share) + sample(index + 1) * share))
    }
    this.#at -= samples.length
    this.#last = samples.at(-1) ?? this.#last
    return Int16Array.from(made)
  }
}
