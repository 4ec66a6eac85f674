/** The kinds of recognisers, one row each: sherpa-onnx's settings and the abilities. */
import type { TranscriberKind } from '../../../core/speech-model-settings.ts'
import type { CutRules } from './speech-cutter.ts'

/** Returns the path of the file with a role. Throws if the manifest names none. */
export type PathOf = (role: string) => string

/** Setting that holds for all runs of a recogniser until it is changed. */
export interface RunSetting {
  /** Empty if the model detects it. */
  readonly language: string
  /** True to write English. */
  readonly translates: boolean
}

export const usualSetting: RunSetting = { language: '', translates: false }

export function isSameSetting(first: RunSetting, second: RunSetting): boolean {
  return first.language === second.language && first.translates === second.translates
}

export interface RecognizerKind {
  /** Returns the kind's part of sherpa-onnx's `modelConfig`. */
  readonly config: (pathOf: PathOf, setting: RunSetting) => object
  readonly cut: CutRules
  /** True if language and task can be set for all later chunks. Results then always have a language. */
  readonly takesLanguage: boolean
  /** True if the decoder reads its own text and may invent more. Other decoders need a sound for each letter. */
  readonly inventsText: boolean
  /** True if the library computes several chunks in one run of the model, instead of one after the other. */
  readonly sharesRuns: boolean
}

/** Usual row. Chunks hold whole sentences, and are short enough for the cores to share a short recording. */
const usual: Omit<RecognizerKind, 'config'> = {
  cut: { enoughSeconds: 12, limitSeconds: 28 },
  takesLanguage: false,
  inventsText: false,
  sharesRuns: true,
}

const transducer = (modelType?: string) => (pathOf: PathOf) => ({
  transducer: { encoder: pathOf('encoder'), decoder: pathOf('decoder'), joiner: pathOf('joiner') },
  ...(modelType !== undefined && { modelType }),
})

export const recognizerKinds: Readonly<Record<TranscriberKind, RecognizerKind>> = {
  'zipformer-ctc': { ...usual, config: (pathOf) => ({ zipformerCtc: { model: pathOf('model') } }) },
  'nemo-ctc': { ...usual, config: (pathOf) => ({ nemoCtc: { model: pathOf('model') } }) },
  transducer: { ...usual, inventsText: true, config: transducer() },
  'nemo-transducer': { ...usual, inventsText: true, config: transducer('nemo_transducer') },
  'sense-voice': {
    ...usual,
    config: (pathOf) => ({ senseVoice: { model: pathOf('model'), language: 'auto', useInverseTextNormalization: 1 } }),
  },
  moonshine: {
    ...usual,
    inventsText: true,
    sharesRuns: false,
    config: (pathOf) => ({
      moonshine: {
        preprocessor: pathOf('preprocessor'),
        encoder: pathOf('encoder'),
        uncachedDecoder: pathOf('uncached-decoder'),
        cachedDecoder: pathOf('cached-decoder'),
      },
    }),
  },
  whisper: {
    takesLanguage: true,
    inventsText: true,
    sharesRuns: false,
    // The model computes ten seconds more than its input, and at most 30 s in all.
    cut: { enoughSeconds: 18, limitSeconds: 28 },
    config: (pathOf, { language, translates }) => ({
      whisper: {
        encoder: pathOf('encoder'),
        decoder: pathOf('decoder'),
        // Javanese has another code here; the library ends the process for an unknown code.
        language: language === 'jv' ? 'jw' : language,
        task: translates ? 'translate' : 'transcribe',
        // Exports without cross-attention outputs give no token times.
        enableTokenTimestamps: 1,
        enableSegmentTimestamps: 1,
      },
    }),
  },
}
