import { Type } from '@sinclair/typebox'
import { ApiError } from '../../core/errors.ts'
import { oneOf } from '../../core/schemas.ts'
import { audioFormats, charactersOf, type SpeakRequest } from '../../core/speech.ts'
import { check, invalidValue, modelField, presentFields } from '../check.ts'
import type { WorkCall } from '../dialect.ts'
import { limits } from '../limits.ts'

const voiceName = Type.String({ minLength: 1, maxLength: 200 })

/** Schema of the body. Models here do not use `instructions` on how to speak, so any value is ignored. */
export const SpeechBody = Type.Object({
  ...modelField,
  input: Type.String({ description: 'a text' }),
  voice: Type.Union([voiceName, Type.Object({ id: voiceName })], {
    description: "the name of a voice, or an object with it as 'id'",
  }),
  response_format: Type.Optional(oneOf(audioFormats, "'")),
  speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4, description: 'a number from 0.25 to 4' })),
  stream_format: Type.Optional(oneOf(['audio', 'sse'], "'")),
})

/** Most code points of `input`. */
const maxInputCharacters = limits.speechCharacters.most

export interface SpeechCall extends WorkCall {
  readonly request: SpeakRequest
  /** Audio is always sent while it is made. */
  readonly stream: true
  /** True to send the audio as text in an event stream rather than as bytes. */
  readonly isEvents: boolean
}

/** Translates a whole body. Throws ApiError 400 that names the wrong field, or 413 `input_too_long`. */
export function parseSpeech(body: unknown): SpeechCall {
  const { input, voice, response_format, speed, stream_format } = check(SpeechBody, presentFields(body))
  requireSpeakable(input)
  return {
    request: {
      input: input.toWellFormed(),
      voice: typeof voice === 'string' ? voice : voice.id,
      speed: speed ?? 1,
      format: response_format ?? 'mp3',
    },
    stream: true,
    isEvents: stream_format === 'sse',
  }
}

function requireSpeakable(input: string): void {
  if (input.trim() === '') throw invalidValue('input', 'a text that is not empty')
  if (input.length <= maxInputCharacters) return
  const length = charactersOf(input)
  if (length <= maxInputCharacters) return
  const message = `'input' has ${length} characters, and a request may have ${maxInputCharacters}. Send the rest in another one.`
  throw new ApiError('payload_too_large', message, { code: 'input_too_long', param: 'input' })
}
