import { ApiError } from '../core/errors.ts'
import { readableFormats } from './header/read-header.ts'

/**
 * Returns the error of an unusable picture. `reason` completes "the picture cannot be read: …" and reveals nothing of
 * this machine; `advice` is a sentence with the next step.
 */
export function invalidImage(
  param: string,
  reason: string,
  advice = `Send ${readableFormats}.`,
  cause?: unknown,
): ApiError {
  const message = `'${param}': the picture cannot be read: ${reason}. ${advice}`
  return new ApiError('invalid_request', message, { code: 'invalid_image', param, cause })
}

/** Returns the error of an address from which no picture can be fetched. `problem` and `advice` are sentences. */
export function invalidImageUrl(param: string, problem: string, advice = sendDataUrl, cause?: unknown): ApiError {
  const message = `'${param}': ${problem} ${advice}`
  return new ApiError('invalid_request', message, { code: 'invalid_image_url', param, cause })
}

const sendDataUrl = 'Send the picture itself: data:image/png;base64,…'
