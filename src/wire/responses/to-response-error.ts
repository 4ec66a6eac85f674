import type { ApiError } from '../../core/errors.ts'

export interface ResponseError {
  readonly code: string
  readonly message: string
}

/** Codes that clients act on: they stop, wait or shorten the conversation instead of asking again at once. */
const knownCodes: Readonly<Record<string, string>> = {
  context_length_exceeded: 'context_length_exceeded',
  insufficient_balance: 'insufficient_quota',
}

/** What `response.failed` says went wrong, in the few codes of this dialect. Whatever may pass by itself is a server error. */
export function toResponseError(error: ApiError): ResponseError {
  return { code: knownCodes[error.code] ?? codeOfKind(error), message: error.message }
}

function codeOfKind({ kind }: ApiError): string {
  switch (kind) {
    case 'rate_limit':
      return 'rate_limit_exceeded'
    case 'invalid_request':
      return 'invalid_prompt'
    default:
      return 'server_error'
  }
}
