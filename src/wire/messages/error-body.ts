import { type Static, Type } from '@sinclair/typebox'
import { type ApiError, type ErrorKind, errorRule } from '../../core/errors.ts'
import { errorFields } from '../error-body.ts'

/** Facts that clients act on without reading the message. */
const ErrorDetails = Type.Object({ error_code: Type.String(), unsupported: Type.Array(Type.String()) })

/** Error object. Clients of this dialect ignore fields that it does not define. */
export const MessagesErrorBody = Type.Object({
  type: Type.Literal('error'),
  error: Type.Object({ type: Type.String(), ...errorFields, details: Type.Optional(ErrorDetails) }),
  request_id: Type.String(),
})

/**
 * Returns the status. Clients of this dialect retry after 529, "overloaded". 503 marks errors that a retry cannot help.
 */
export function messagesErrorStatus(error: ApiError): number {
  return error.kind === 'unavailable' && error.retryAfterSeconds !== undefined ? 529 : errorRule(error.kind).status
}

/** Returns the error object of /messages. `docsUrl` is the address of the code's documentation. */
export function toMessagesErrorBody(
  error: ApiError,
  docsUrl: string,
  requestId: string,
): Static<typeof MessagesErrorBody> {
  const details = toDetails(error)
  return {
    type: 'error',
    error: {
      type: errorTypes[error.kind],
      message: toMessage(error),
      code: error.code,
      param: error.param ?? null,
      docs_url: docsUrl,
      ...(details === undefined ? {} : { details }),
    },
    request_id: requestId,
  }
}

const errorTypes: Readonly<Record<ErrorKind, string>> = {
  invalid_request: 'invalid_request_error',
  method_not_allowed: 'invalid_request_error',
  request_timeout: 'invalid_request_error',
  unsupported_media_type: 'invalid_request_error',
  misdirected: 'invalid_request_error',
  conflict: 'invalid_request_error',
  authentication: 'authentication_error',
  insufficient_balance: 'billing_error',
  permission: 'permission_error',
  not_found: 'not_found_error',
  payload_too_large: 'request_too_large',
  rate_limit: 'rate_limit_error',
  internal: 'api_error',
  engine: 'api_error',
  unavailable: 'overloaded_error',
}

/**
 * Returns the message. Agents parse two facts from it: both numbers of a prompt that is too long, and a missing model.
 */
function toMessage({ message, length, modelId }: ApiError): string {
  if (length !== undefined) return `prompt is too long: ${length.promptTokens} tokens > ${length.limitTokens} maximum`
  return modelId === undefined ? message : `model: ${modelId}`
}

/** Returns the details. Tool runners send `thread` unasked; after this refusal they resend the request without it. */
function toDetails({ code, param }: ApiError): Static<typeof ErrorDetails> | undefined {
  if (code !== 'unsupported_parameter' || param !== 'thread') return undefined
  return { error_code: 'thread_unsupported_request', unsupported: [param] }
}
