import { ApiError } from '../core/errors.ts'

/** A recording that cannot be used. `reason` completes "The file cannot be read as audio: …"; both are sentences for the client. */
export function invalidAudio(reason: string, advice: string, cause?: unknown): ApiError {
  const message = `The file cannot be read as audio: ${reason}. ${advice}`
  return new ApiError('invalid_request', message, { code: 'invalid_audio', param: 'file', cause })
}
