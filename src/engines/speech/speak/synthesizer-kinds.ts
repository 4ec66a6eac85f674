/** Setup of each kind of synthesizer: sherpa-onnx's configuration, and the text processing left to us. */
import type { SynthesizerKind } from '../../../core/speech-model-settings.ts'
import { type FilesByRole, requiredFile } from './model-files.ts'

interface SynthesizerSetup {
  /** sherpa-onnx's name of the kind, with its configuration. */
  readonly model: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Rules that write numbers out, made by the model's exporter for its language. Empty if there are none. */
  readonly ruleFsts: string
  /**
   * True for models that read letters or words of a lexicon: numbers and abbreviations are written out. Others have
   * espeak-ng, or learned it.
   */
  readonly needsWords: boolean
}

type SetUp = (files: FilesByRole) => SynthesizerSetup

/** Returns sherpa-onnx's form of a list of files; empty if there are none. */
const list = (files: FilesByRole, role: string) => (files[role] ?? []).join(',')

/** Returns the files that pronounce words, if the model has any. */
const pronunciation = (files: FilesByRole) => ({ lexicon: list(files, 'lexicon'), dataDir: list(files, 'data') })

/** Returns the American one of two English lexicons. */
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
        // Each request says its voice's own.
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
