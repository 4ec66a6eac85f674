import { ApiError } from '../../core/errors.ts'
import type { FetchedFiles } from '../../images/fetch/file-fetcher.ts'

/** Limits of the recordings of a chat. */
export const soundLimits = {
  /** Recordings of a request. */
  count: 8,
  /** Bytes of a recording as it was sent. */
  bytes: 25 * 1024 * 1024,
  /** Seconds of a recording. Projectors are not trained for less. */
  leastSeconds: 0.1,
  seconds: 600,
} as const

export const soundFiles: FetchedFiles = {
  name: 'recording',
  code: 'invalid_audio_url',
  limitBytes: soundLimits.bytes,
  tooLarge: soundTooLarge,
}

/** Returns the error of an unusable recording. `reason` reveals nothing of this machine. */
export function invalidSound(param: string, reason: string, advice = sendAnother): ApiError {
  const message = `'${param}' cannot be decoded: ${reason}. ${advice}`
  return new ApiError('invalid_request', message, { code: 'invalid_audio', param })
}

const sendAnother = 'Send a whole recording as wav or mp3.'

export function soundTooLong(param: string): ApiError {
  const message = `'${param}': a recording in a chat may last at most ${soundLimits.seconds / 60} minutes. Send a part of it, or transcribe it by /v1/audio/transcriptions.`
  return new ApiError('invalid_request', message, { code: 'invalid_audio', param })
}

export function soundTooLarge(param: string): ApiError {
  const message = `'${param}': a recording may have at most ${soundLimits.bytes / 1024 / 1024} MB. Send a smaller one, such as mp3.`
  return new ApiError('payload_too_large', message, { code: 'payload_too_large', param })
}

/** Throws ApiError 400 `too_many_recordings` that names the first recording beyond the limit. */
export function requireFewSounds(sounds: readonly { readonly param: string }[]): void {
  const { count } = soundLimits
  const param = sounds[count]?.param
  if (param === undefined) return
  const message = `'${param}': a request may have at most ${count} recordings, and this one has ${sounds.length}. Leave out the oldest.`
  throw new ApiError('invalid_request', message, { code: 'too_many_recordings', param })
}
