/** Synthesizes sentences, trims and resamples them to the common rate, and encodes them. */
import { setImmediate } from 'node:timers/promises'
import { type AudioFormat, spokenSampleRateHz } from '../../../core/speech.ts'
import type { Voice } from '../../../core/speech-model-settings.ts'
import { type AudioEncoder, openEncoder } from './audio/audio-encoder.ts'
import type { Libav } from './audio/open-libav.ts'
import { toPcm, trimSilence } from './audio/samples.ts'
import type { Synthesizer, SynthesizerBinding } from './synthesizer.ts'
import type { Sentence } from './text/sentences.ts'

/** Length of the silence for a text without speakable content. */
const silenceSeconds = 0.3

export interface Manner {
  readonly voice: Voice
  readonly speed: number
  /** True for the last sentence, which no pause follows. */
  readonly isLast: boolean
  readonly isWanted: () => boolean
}

export class Speaker {
  readonly #synthesizer: Synthesizer
  readonly #binding: SynthesizerBinding
  readonly #libav: Libav

  constructor(synthesizer: Synthesizer, binding: SynthesizerBinding, libav: Libav) {
    this.#synthesizer = synthesizer
    this.#binding = binding
    this.#libav = libav
  }

  get needsWords(): boolean {
    return this.#synthesizer.needsWords
  }

  /** Returns the samples of a sentence and the pause after it; empty if the model produces no sound. */
  async speak({ text, pauseSeconds }: Sentence, { voice, speed, isLast, isWanted }: Manner): Promise<Int16Array> {
    const { speaker, language } = voice
    const made = await this.#synthesizer.synthesize({ text, speaker, speed, language, isWanted })
    const spoken = this.#resample(trimSilence(made, this.#synthesizer.sampleRateHz))
    if (spoken.length === 0) return new Int16Array(0)
    return toPcm(spoken, spokenSampleRateHz, isLast ? 0 : pauseSeconds / speed)
  }

  silence(): Int16Array {
    return new Int16Array(Math.round(silenceSeconds * spokenSampleRateHz))
  }

  openEncoder(format: AudioFormat, id: number): AudioEncoder {
    return openEncoder({ libav: this.#libav, format, sampleRateHz: spokenSampleRateHz, name: String(id) })
  }

  /** Yields encoded samples, a second at a time: other requests run in between. */
  async *encode(encoder: AudioEncoder, samples: Int16Array): AsyncGenerator<Uint8Array> {
    for (let begin = 0; begin < samples.length; begin += spokenSampleRateHz) {
      if (begin > 0) await setImmediate()
      yield encoder.push(samples.subarray(begin, begin + spokenSampleRateHz))
    }
  }

  /** Resamples one sentence. Sentences begin and end with silence, so each can be resampled separately. */
  #resample(samples: Float32Array): Float32Array {
    const from = this.#synthesizer.sampleRateHz
    if (from === spokenSampleRateHz || samples.length === 0) return samples
    return this.#binding.resampleLinear(this.#binding.createLinearResampler(from, spokenSampleRateHz), samples, 1)
  }
}
