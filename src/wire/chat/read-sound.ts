import type { SentSoundPart } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import { invalidValue, missing } from '../check.ts'

type Fields = Readonly<Record<string, unknown>>

/** Types of parts with a recording: that of chat/completions and responses, and vLLM's. */
const soundTypes = ['input_audio', 'audio_url']

export function isSoundType(type: unknown): boolean {
  return typeof type === 'string' && soundTypes.includes(type)
}

/**
 * Returns the recording of a part. Its bytes are not checked, and its format is found in them. Throws ApiError 400 that
 * names the field if it has none.
 */
export function readSound(part: Fields, path: string): SentSoundPart {
  const { field, value } = findData(part)
  if (value === undefined || value === null) throw missing(`${path}.${field}`, expectedData)
  if (typeof value !== 'string' || value === '') throw invalidValue(`${path}.${field}`, expectedData)
  return { type: 'sent-sound', url: value, param: path }
}

const expectedData = 'a recording as base64'

function findData({ type, input_audio, audio_url }: Fields): { readonly field: string; readonly value: unknown } {
  if (type === 'input_audio')
    return { field: 'input_audio.data', value: isObject(input_audio) ? input_audio.data : input_audio }
  return isObject(audio_url)
    ? { field: 'audio_url.url', value: audio_url.url }
    : { field: 'audio_url', value: audio_url }
}
