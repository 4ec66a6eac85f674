/** Checks of speech work before it reaches an engine. */
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import type { SpeakRequest, TranscribeRequest } from '../core/speech.ts'
import { findVoice, transducerKinds, type Voice } from '../core/speech-model-settings.ts'
import { requireDiarization } from './diarizer.ts'

/** Most names listed in a message. */
const listedNames = 100

type TranscriptionFields = Pick<TranscribeRequest, 'language' | 'speakers' | 'translates' | 'wantsTokens'>

/** Throws ApiError 400 for a language that the model does not know, and for everything else that it does not support. */
export function requireTranscribable(
  { language, speakers, translates, wantsTokens }: TranscriptionFields,
  manifest: ModelManifest,
): void {
  if (speakers !== undefined) requireDiarization(manifest, speakers.param)
  if (translates) requireTranslation(manifest)
  if (wantsTokens) requireTokenScores(manifest)
  const known = manifest.transcriber?.languages
  if (language === undefined || known === undefined || known.includes(language)) return
  throw new ApiError(
    'invalid_request',
    `'language' must be absent or one that model '${manifest.id}' knows: ${listed(known)}.`,
    { code: 'invalid_value', param: 'language' },
  )
}

/** Throws ApiError 400 for a model that cannot write English. A server behind decides for its models itself. */
function requireTranslation({ id, engine, capabilities }: ModelManifest): void {
  if (capabilities.translation ?? engine === 'upstream') return
  throw new ApiError(
    'invalid_request',
    `Model '${id}' does not translate. Use one that does: GET /models shows 'translation' among its capabilities.`,
    { code: 'translation_unsupported', param: 'model' },
  )
}

/** Throws ApiError 400 for a model whose tokens have no probabilities. Those of servers behind are not read. */
function requireTokenScores({ id, engine, transcriber }: ModelManifest): void {
  if (engine !== 'upstream' && transcriber !== undefined && transducerKinds.includes(transcriber.kind)) return
  throw new ApiError(
    'invalid_request',
    `Model '${id}' does not score its tokens: only transducers on this server do. Leave 'include' out.`,
    { code: 'unsupported_parameter', param: 'include' },
  )
}

/** Throws ApiError 400 for a voice that the model does not have. */
export function requireVoice({ voice }: Pick<SpeakRequest, 'voice'>, { id, synthesizer }: ModelManifest): void {
  if (synthesizer === undefined || findVoice(synthesizer, voice) !== undefined) return
  const names = namesOfVoices(synthesizer.voices)
  throw new ApiError('invalid_request', `'voice' must be one that model '${id}' has: ${listed(names)}.`, {
    code: 'invalid_value',
    param: 'voice',
  })
}

/** Returns the names. Common ones, which clients use with any model, come first. */
function namesOfVoices(voices: readonly Voice[]): string[] {
  return [...voices.flatMap(({ aliases }) => aliases).sort(), ...voices.map(({ name }) => name)]
}

function listed(names: readonly string[]): string {
  const more = names.length - listedNames
  return more > 0 ? `${names.slice(0, listedNames).join(', ')} and ${more} more` : names.join(', ')
}
