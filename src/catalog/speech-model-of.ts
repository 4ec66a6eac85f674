import type { ModelFile, ModelManifest } from '../core/model.ts'
import {
  commonVoices,
  namesOfVoice,
  type SynthesizerKind,
  type SynthesizerSettings,
  type TranscriberKind,
  transducerKinds,
  type Voice,
} from '../core/speech-model-settings.ts'
import { allFiles } from './locate-files.ts'
import type { ManifestToml } from './manifest-schema.ts'

/**
 * Roles that each kind needs. Others are optional: speech detection (`vad`) and pronunciation (`data`, `lexicon`,
 * `dict`, `rule`).
 */
export const neededRoles: Readonly<Record<TranscriberKind | SynthesizerKind, readonly string[]>> = {
  whisper: ['encoder', 'decoder', 'tokens'],
  transducer: ['encoder', 'decoder', 'joiner', 'tokens'],
  'nemo-transducer': ['encoder', 'decoder', 'joiner', 'tokens'],
  'nemo-ctc': ['model', 'tokens'],
  'zipformer-ctc': ['model', 'tokens'],
  'sense-voice': ['model', 'tokens'],
  moonshine: ['preprocessor', 'encoder', 'uncached-decoder', 'cached-decoder', 'tokens'],
  vits: ['model', 'tokens'],
  kokoro: ['model', 'voices', 'tokens'],
  matcha: ['model', 'vocoder', 'tokens'],
  supertonic: [
    'duration-predictor',
    'text-encoder',
    'vector-estimator',
    'vocoder',
    'config',
    'unicode-indexer',
    'voices',
  ],
}

/** Kinds whose files are found in an unpacked archive. */
const kindsInArchives: readonly string[] = ['vits', 'kokoro', 'matcha']

const diarizerRoles = ['segmentation', 'speaker-embedding'] as const

/** Returns a synthesizer's settings. Each voice has the manifest's common facts; every common name belongs to a voice. */
export function toSynthesizerSettings(toml: NonNullable<ManifestToml['synthesizer']>): SynthesizerSettings {
  const voices = toml.voices.map(({ aliases = [], language = toml.language, ...voice }) => ({
    ...voice,
    aliases,
    ...(language === undefined ? {} : { language }),
  }))
  return { kind: toml.kind, voices: withCommonNames(voices) }
}

/** Gives each common name that no voice has to the voice with the fewest common names, the first of several. */
function withCommonNames(given: readonly Voice[]): Voice[] {
  const voices = [...given]
  const isCommon = (name: string) => commonVoices.includes(name.toLowerCase())
  const taken = new Set(given.flatMap(namesOfVoice).map((name) => name.toLowerCase()))
  for (const name of commonVoices.filter((each) => !taken.has(each))) {
    const counts = voices.map((voice) => namesOfVoice(voice).filter(isCommon).length)
    const index = counts.indexOf(Math.min(...counts))
    const voice = voices[index]
    if (voice !== undefined) voices[index] = { ...voice, aliases: [...voice.aliases, name] }
  }
  return voices
}

/** Returns the first fault of a speech model's manifest: a table that it lacks or must not have. Undefined if there is none. */
export function speechModelProblem(manifest: ModelManifest): string | undefined {
  const { type, engine, transcriber, diarizer, synthesizer, capabilities } = manifest
  if (transcriber !== undefined && type !== 'stt') return '"transcriber" is for models of type stt'
  if (synthesizer !== undefined && type !== 'tts') return '"synthesizer" is for models of type tts'
  const diarizes = capabilities.diarization === true
  if (diarizes && type !== 'stt') return '"capabilities.diarization" is for models of type stt'
  if (transcriber !== undefined && capabilities.translation === true && transcriber.kind !== 'whisper')
    return '"capabilities.translation" is for transcribers of kind "whisper"'
  if (transcriber !== undefined && capabilities.prompt === true && !transducerKinds.includes(transcriber.kind))
    return `"capabilities.prompt" is for transcribers of the kinds ${transducerKinds.join(', ')}`
  if (diarizer !== undefined && !diarizes) return '"diarizer" is for models with diarization = true in [capabilities]'
  if (synthesizer !== undefined) {
    const twice = nameOfTwo(synthesizer.voices)
    if (twice !== undefined) return `"synthesizer.voices": two voices have the name "${twice}"`
  }
  if (engine !== 'speech')
    return manifest.gpuFiles === undefined ? undefined : '"gpu_files" is for models of engine "speech"'
  const settings = type === 'stt' ? transcriber : synthesizer
  if (settings === undefined) {
    const table = type === 'stt' ? 'transcriber' : 'synthesizer'
    return `engine "speech" needs a table "${table}" for models of type ${type}; 'inferd import' of the model's files writes one`
  }
  const foreign = manifest.gpuFiles?.find(({ role }) => !neededRoles[settings.kind].includes(role))
  if (foreign !== undefined)
    return `"gpu_files": kind "${settings.kind}" has no file with role "${foreign.role}"; it has ${neededRoles[settings.kind].join(', ')}`
  const isArchive = ({ role, unpack }: ModelFile) => role === 'model' && unpack === true
  if (allFiles(manifest).some(isArchive) && !kindsInArchives.includes(settings.kind))
    return `an archive with all files is for the kinds ${kindsInArchives.join(', ')}: name the files of kind "${settings.kind}" one by one`
  if (manifest.files.some(isArchive)) return undefined
  return (
    missingFile(manifest, neededRoles[settings.kind], `kind "${settings.kind}"`) ??
    (diarizes ? missingFile(manifest, diarizerRoles, 'diarization = true') : undefined)
  )
}

function missingFile({ files }: ModelManifest, roles: readonly string[], what: string): string | undefined {
  const missing = roles.find((role) => !files.some((file) => file.role === role))
  return missing === undefined ? undefined : `${what} needs a file with role "${missing}"`
}

function nameOfTwo(voices: readonly Voice[]): string | undefined {
  const names = voices.flatMap(namesOfVoice).map((name) => name.toLowerCase())
  return names.find((name, index) => names.indexOf(name) !== index)
}
