import { ApiError } from '../core/errors.ts'

/**
 * A recording that cannot be used. `reason` completes "The file cannot be decoded: …" and tells nothing of this machine;
 * `advice` is a sentence that says what to do.
 */
export function invalidAudio(reason: string, advice = sendAnother, cause?: unknown): ApiError {
  const message = `The file cannot be decoded: ${reason}. ${advice}`
  return new ApiError('invalid_request', message, { code: 'invalid_audio', param: 'file', cause })
}

const sendAnother = 'Send a whole recording as wav, mp3, m4a, ogg, flac or webm.'
