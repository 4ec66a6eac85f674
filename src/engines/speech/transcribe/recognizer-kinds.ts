/** The kinds of recognisers, one row each: what sherpa-onnx is told, and what can be had of it. */
import type { TranscriberKind } from '../../../core/speech-model-settings.ts'
import type { CutRules } from './speech-cutter.ts'

/** Path of the file with a role. Throws when the manifest names none. */
export type PathOf = (role: string) => string

export interface RecognizerKind {
  /** Its part of sherpa-onnx's `modelConfig`. `language`: empty where the model finds out. */
  readonly config: (pathOf: PathOf, language: string) => object
  readonly cut: CutRules
  /** A language can be set, for all that is recognised from then on. What is recognised then always has one. */
  readonly takesLanguage: boolean
  /** A decoder that hears what it wrote can make up text; the others have a sound for each letter. */
  readonly inventsText: boolean
}

/** Whole sentences, and short enough for the cores to share a short recording. */
const usual: Omit<RecognizerKind, 'config'> = {
  cut: { enoughSeconds: 12, limitSeconds: 28 },
  takesLanguage: false,
  inventsText: false,
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
    // It computes ten seconds more than it is given, and at most 30 in all.
    cut: { enoughSeconds: 18, limitSeconds: 28 },
    config: (pathOf, language) => ({
      whisper: {
        encoder: pathOf('encoder'),
        decoder: pathOf('decoder'),
        // Its own code of Javanese; the library ends the process for any other.
        language: language === 'jv' ? 'jw' : language,
        task: 'transcribe',
        // Exports without the outputs of cross-attention give no times of tokens.
        enableTokenTimestamps: 1,
        enableSegmentTimestamps: 1,
      },
    }),
  },
}
