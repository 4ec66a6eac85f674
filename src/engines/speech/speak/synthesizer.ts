/** One loaded model of sherpa-onnx that turns a sentence into samples. */
import type { SynthesizerKind } from '../../../core/speech-model-settings.ts'
import type { FilesByRole } from './model-files.ts'
import { synthesizerKinds } from './synthesizer-kinds.ts'

interface Generated {
  readonly samples: Float32Array
}

interface GenerateRequest {
  readonly text: string
  readonly enableExternalBuffer: false
  readonly generationConfig: {
    readonly sid: number
    readonly speed: number
    readonly silenceScale: number
    readonly extra: Readonly<Record<string, string>>
  }
  /** Called during the computation; returning 0 ends it. */
  readonly callback: () => number
}

/** Functions of sherpa-onnx's addon that synthesizers need. */
export interface SynthesizerBinding {
  createOfflineTtsAsync(config: object): Promise<object>
  getOfflineTtsSampleRate(handle: object): number
  getOfflineTtsNumSpeakers(handle: object): number
  offlineTtsGenerateAsyncWithConfig(handle: object, request: GenerateRequest): Promise<Generated>
  createLinearResampler(fromHz: number, toHz: number): object
  resampleLinear(handle: object, samples: Float32Array, isEnd: 0 | 1): Float32Array
}

interface Utterance {
  readonly text: string
  readonly speaker: number
  readonly speed: number
  /** Model's name of the voice's language. Absent if the model speaks one language. */
  readonly language: string | undefined
  /** Called during the computation, which ends if it returns false. */
  readonly isWanted: () => boolean
}

export interface Synthesizer {
  readonly sampleRateHz: number
  readonly speakers: number
  /** See `synthesizer-kinds.ts`. */
  readonly needsWords: boolean
  /**
   * Resolves with the samples of a sentence; none if the model finds nothing to say, or the sentence is no longer
   * wanted.
   */
  synthesize(utterance: Utterance): Promise<Float32Array>
}

/** Message of sherpa-onnx if the model knows none of a text's characters. */
const nothingToSay = /produced no audio/

interface SynthesizerOptions {
  readonly binding: SynthesizerBinding
  readonly kind: SynthesizerKind
  readonly files: FilesByRole
  readonly threads: number
  readonly provider: 'cuda' | 'cpu'
}

/** Loads a model. Rejects if its files are damaged; some damage ends the process. */
export async function openSynthesizer({
  binding,
  kind,
  files,
  threads,
  provider,
}: SynthesizerOptions): Promise<Synthesizer> {
  const { model, ruleFsts, needsWords } = synthesizerKinds[kind](files)
  const handle = await binding.createOfflineTtsAsync({
    model: { ...model, numThreads: threads, provider, debug: 0 },
    ruleFsts,
    maxNumSentences: 1,
    // Keeps pauses as the model makes them; the library's default shortens them.
    silenceScale: 1,
  })
  return {
    sampleRateHz: binding.getOfflineTtsSampleRate(handle),
    speakers: Math.max(1, binding.getOfflineTtsNumSpeakers(handle)),
    needsWords,
    async synthesize({ text, speaker, speed, language, isWanted }) {
      try {
        const { samples } = await binding.offlineTtsGenerateAsyncWithConfig(handle, {
          text,
          enableExternalBuffer: false,
          generationConfig: {
            sid: speaker,
            speed,
            silenceScale: 1,
            extra: language === undefined ? {} : { lang: language },
          },
          callback: () => (isWanted() ? 1 : 0),
        })
        return samples
      } catch (error) {
        if (error instanceof Error && nothingToSay.test(error.message)) return new Float32Array(0)
        throw error
      }
    },
  }
}
