/**
 * Setup of each kind of synthesizer: sherpa-onnx's configuration, and whether text processing is left to the engine.
 */
import type { SynthesizerKind } from '../../../core/speech-model-settings.ts'
import { type FilesByRole, requiredFile } from './model-files.ts'

interface SynthesizerSetup {
  /** Configuration, under sherpa-onnx's name of the kind. */
  readonly model: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Exporter's rules that write out numbers in the model's language. Empty if there are none. */
  readonly ruleFsts: string
  /**
   * True for models that read letters or the words of a lexicon: the engine writes out numbers and abbreviations.
   * Other models have espeak-ng or were trained on them.
   */
  readonly needsWords: boolean
}

type SetUp = (files: FilesByRole) => SynthesizerSetup

/** Returns sherpa-onnx's form of a list of files; empty if there are none. */
const list = (files: FilesByRole, role: string) => (files[role] ?? []).join(',')

/** Returns the files for the pronunciation of words, if the model has any. */
const pronunciation = (files: FilesByRole) => ({ lexicon: list(files, 'lexicon'), dataDir: list(files, 'data') })

/** Returns the lexicons, only the American one of two English ones. */
const kokoroLexicons = ({ lexicon = [] }: FilesByRole) => lexicon.filter((path) => !path.includes('-gb')).join(',')

const hasEspeak = (files: FilesByRole) => files.data !== undefined && files.data.length > 0

export const synthesizerKinds: Readonly<Record<SynthesizerKind, SetUp>> = {
  vits: (files) => ({
    model: {
      vits: {
        model: requiredFile(files, 'model'),
        tokens: requiredFile(files, 'tokens'),
        ...pronunciation(files),
      },
    },
    ruleFsts: list(files, 'rule'),
    needsWords: !hasEspeak(files),
  }),
  kokoro: (files) => ({
    model: {
      kokoro: {
        model: requiredFile(files, 'model'),
        voices: requiredFile(files, 'voices'),
        tokens: requiredFile(files, 'tokens'),
        lexicon: kokoroLexicons(files),
        dataDir: list(files, 'data'),
        // A default; each request sets its voice's language.
        lang: 'en-us',
      },
    },
    // The included rules are for Chinese, and would also rewrite numbers of other languages.
    ruleFsts: '',
    needsWords: false,
  }),
  matcha: (files) => ({
    model: {
      matcha: {
        acousticModel: requiredFile(files, 'model'),
        vocoder: requiredFile(files, 'vocoder'),
        tokens: requiredFile(files, 'tokens'),
        ...pronunciation(files),
      },
    },
    ruleFsts: list(files, 'rule'),
    needsWords: !hasEspeak(files),
  }),
  supertonic: (files) => ({
    model: {
      supertonic: {
        durationPredictor: requiredFile(files, 'duration-predictor'),
        textEncoder: requiredFile(files, 'text-encoder'),
        vectorEstimator: requiredFile(files, 'vector-estimator'),
        vocoder: requiredFile(files, 'vocoder'),
        ttsJson: requiredFile(files, 'config'),
        unicodeIndexer: requiredFile(files, 'unicode-indexer'),
        voiceStyle: requiredFile(files, 'voices'),
      },
    },
    ruleFsts: '',
    needsWords: false,
  }),
}
