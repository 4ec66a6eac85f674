/** How each kind of synthesizer is set up: sherpa-onnx's own configuration of it, and what its front end leaves to us. */
import type { SynthesizerKind } from '../../../core/speech-model-settings.ts'
import { type FilesByRole, requiredFile } from './model-files.ts'

interface SynthesizerSetup {
  /** What sherpa-onnx calls the kind, and its configuration. */
  readonly model: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Rules that write numbers out, which the model's exporter made for its language; empty: none. */
  readonly ruleFsts: string
  /** It reads letters or words of a lexicon: numbers and abbreviations are written out for it. Others have espeak-ng, or learned it. */
  readonly needsWords: boolean
}

type SetUp = (files: FilesByRole) => SynthesizerSetup

/** Sherpa-onnx takes lists of files in one text; empty: none. */
const list = (files: FilesByRole, role: string) => (files[role] ?? []).join(',')

/** What pronounces words, where a model has it. */
const pronunciation = (files: FilesByRole) => ({ lexicon: list(files, 'lexicon'), dataDir: list(files, 'data') })

/** Of two lexicons of English, the American one. */
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
    // Those that come with it are for Chinese, and would also rewrite numbers of other languages.
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
