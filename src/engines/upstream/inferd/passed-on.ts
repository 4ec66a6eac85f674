import { ApiError, type ErrorKind, errorRule } from '../../../core/errors.ts'
import { isObject, objectIn } from '../../../core/json.ts'
import { UpstreamFailure } from '../http/failure.ts'

/** Kinds of errors that clients may see. Errors about keys and money stay between the two operators. */
const forClients: readonly ErrorKind[] = [
  'invalid_request',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'unavailable',
]

const textLimit = 4_096

/**
 * Returns another inferd's error if the request causes it or it is temporary: the client gets it unchanged, since both
 * servers use the same messages. Undefined for everything else.
 */
export function passedOn(failure: unknown): ApiError | undefined {
  if (!(failure instanceof UpstreamFailure)) return undefined
  const { kind, status, retryAfterSeconds, detail } = failure
  const errorKind = kind === 'status' ? forClients.find((each) => errorRule(each).status === status) : undefined
  const error = errorKind === undefined ? undefined : objectIn(detail)?.error
  if (errorKind === undefined || !isObject(error)) return undefined
  const { message, code, param } = error
  if (typeof message !== 'string' || message.length > textLimit || typeof code !== 'string') return undefined
  // An error in a stream has no time to retry after; this server's own error has one.
  if (code === 'overloaded') return undefined
  return new ApiError(errorKind, message, { code, retryAfterSeconds, ...(typeof param === 'string' && { param }) })
}
