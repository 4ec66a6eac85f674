/** Settings that a speech model's graphs imply: its program, its languages, its voices. */
import type { ModelManifest } from '../../core/model.ts'
import type { SynthesizerKind, TranscriberKind, Voice } from '../../core/speech-model-settings.ts'
import { ImportError } from './found-model.ts'
import type { OnnxGraph } from './onnx-graph.ts'

/** Kind by file names alone. Some mean several kinds, which the graphs tell apart. */
export type SherpaKind = SynthesizerKind | 'whisper' | 'moonshine' | 'transducer' | 'ctc'

type Found = Pick<ModelManifest, 'transcriber' | 'synthesizer'> & {
  readonly capabilities?: ModelManifest['capabilities']
}

/** Most speakers that each become a voice. */
const maximumVoices = 1_000

/** Returns the settings. `graphs` are by file role. Throws ImportError for a kind that this version does not know. */
export function sherpaSettings(kind: SherpaKind, graphs: ReadonlyMap<string, OnnxGraph>): Found {
  const graph = graphs.get('encoder') ?? graphs.get('model')
  switch (kind) {
    case 'whisper':
    case 'moonshine':
      return transcriber(kind, graph)
    case 'transducer':
      return transcriber(graph?.metadata.has('normalize_type') ? 'nemo-transducer' : 'transducer', graph)
    case 'ctc':
      return transcriber(ctcKind(graph), graph)
    default:
      return { synthesizer: { kind, voices: voicesOf(kind, graph) } }
  }
}

function transcriber(kind: TranscriberKind, graph: OnnxGraph | undefined): Found {
  const languages = languagesOf(kind, graph)
  // Whisper itself times only sentences: few exports have the attention that times words.
  const capabilities = {
    word_timestamps: kind !== 'moonshine' && kind !== 'whisper',
    ...(kind === 'whisper' && translates(graph) && { translation: true }),
  }
  return { transcriber: { kind, ...(languages === undefined ? {} : { languages }) }, capabilities }
}

/** Returns the kind of a model that is one graph and a list of tokens. */
function ctcKind(graph: OnnxGraph | undefined): TranscriberKind {
  const inputs = graph?.inputs.map(({ name }) => name) ?? []
  const type = graph?.metadata.get('model_type') ?? 'zipformer'
  if (inputs.includes('language') && inputs.includes('text_norm')) return 'sense-voice'
  if (inputs.includes('audio_signal')) return 'nemo-ctc'
  if (inputs.includes('x') && inputs.includes('x_lens') && type.startsWith('zipformer')) return 'zipformer-ctc'
  throw new ImportError(
    `a speech model with the inputs ${inputs.join(', ')} is of a kind that inferd does not know: it reads CTC models of NeMo and Zipformer, and SenseVoice`,
  )
}

/** Returns the languages; undefined if the graph does not tell. */
function languagesOf(kind: TranscriberKind, graph: OnnxGraph | undefined): string[] | undefined {
  if (kind === 'sense-voice') return ['zh', 'en', 'ja', 'ko', 'yue']
  if (kind !== 'whisper') return undefined
  if (graph?.metadata.get('is_multilingual') === '0') return ['en']
  const codes =
    graph?.metadata
      .get('all_language_codes')
      ?.split(',')
      .filter((code) => /^[a-z]{2,3}$/.test(code)) ?? []
  // Whisper's own code of Javanese, whose ISO 639-1 code differs.
  return codes.length === 0 ? undefined : codes.map((code) => (code === 'jw' ? 'jv' : code))
}

/** Returns whether a Whisper model was trained to translate: those of several languages, but not the small copies. */
function translates(graph: OnnxGraph | undefined): boolean {
  const type = graph?.metadata.get('model_type') ?? ''
  return graph?.metadata.get('is_multilingual') === '1' && !/turbo|distil/i.test(type)
}

/** Returns whether the model reads only English words. Numbers and abbreviations are then written out. */
function isEnglishOnly(kind: SynthesizerKind, graph: OnnxGraph | undefined): boolean {
  return (kind === 'vits' || kind === 'matcha') && /^eng?(lish)?$/i.test(graph?.metadata.get('language') ?? '')
}

/** Returns a voice per speaker, by name or number. */
function voicesOf(kind: SynthesizerKind, graph: OnnxGraph | undefined): Voice[] {
  const names =
    graph?.metadata
      .get('speaker_names')
      ?.split(',')
      .map((name) => name.trim()) ?? []
  const told = Number(graph?.metadata.get('n_speakers') ?? names.length)
  const count = Math.min(Math.max(Number.isSafeInteger(told) ? told : 1, 1), maximumVoices)
  const areNames = names.length === count && new Set(names.map((name) => name.toLowerCase())).size === count
  return Array.from({ length: count }, (_, speaker) => ({
    name: (areNames ? names[speaker] : undefined) || `speaker-${speaker}`,
    speaker,
    aliases: [],
    ...(isEnglishOnly(kind, graph) && { language: 'en' }),
  }))
}
