import { ApiError } from '../core/errors.ts'

/**
 * Returns the error of an unusable recording. `reason` completes "The file cannot be decoded: …" and reveals nothing of
 * this machine; `advice` is a sentence with the next step.
 */
export function invalidAudio(reason: string, advice = sendAnother, cause?: unknown): ApiError {
  const message = `The file cannot be decoded: ${reason}. ${advice}`
  return new ApiError('invalid_request', message, { code: 'invalid_audio', param: 'file', cause })
}

const sendAnother = 'Send a whole recording as wav, mp3, m4a, ogg, flac or webm.'
