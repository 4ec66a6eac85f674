/**
 * The only error type that crosses module borders, and the table of its meaning over HTTP. Throw it where the fact is
 * known; render it only in `http/errors.ts`.
 */

interface ErrorRule {
  readonly status: number
  readonly type: string
}

const rules = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  authentication: { status: 401, type: 'authentication_error' },
  insufficient_balance: { status: 402, type: 'insufficient_balance' },
  permission: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  request_timeout: { status: 408, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  payload_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  misdirected: { status: 421, type: 'invalid_request_error' },
  rate_limit: { status: 429, type: 'rate_limit_error' },
  internal: { status: 500, type: 'server_error' },
  engine: { status: 502, type: 'server_error' },
  unavailable: { status: 503, type: 'server_error' },
} as const satisfies Record<string, ErrorRule>

export type ErrorKind = keyof typeof rules

/** Returns HTTP status and wire `type` of an error kind. */
export function errorRule(kind: ErrorKind): ErrorRule {
  return rules[kind]
}

export interface ApiErrorDetails {
  /** Machine-readable code, such as `context_length_exceeded`. */
  readonly code: string
  /** Dotted path of the invalid request field, such as `messages[2].content[0].type`. */
  readonly param?: string | undefined
  /** Seconds after which a retry makes sense; becomes `retry-after`. */
  readonly retryAfterSeconds?: number | undefined
  /** Length of a conversation that is too long. Dialects word this differently. */
  readonly length?: PromptLength | undefined
  /** Unknown model id as the caller spelled it. Dialects word this differently too. */
  readonly modelId?: string | undefined
  /** Private reason: goes to the log, never to the client. */
  readonly cause?: unknown
}

interface PromptLength {
  readonly promptTokens: number
  /** Most tokens that the prompt may have. */
  readonly limitTokens: number
}

/** Failure whose message is safe and useful to the caller: it names the fault and the next step. */
export class ApiError extends Error {
  readonly kind: ErrorKind
  readonly code: string
  readonly param: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly length: PromptLength | undefined
  readonly modelId: string | undefined

  constructor(kind: ErrorKind, message: string, details: ApiErrorDetails) {
    super(message, { cause: details.cause })
    this.name = 'ApiError'
    this.kind = kind
    this.code = details.code
    this.param = details.param
    this.retryAfterSeconds = details.retryAfterSeconds
    this.length = details.length
    this.modelId = details.modelId
  }
}

/** Error as plain data for other threads and processes. Its cause stays here. */
export type ErrorData = { readonly kind: ErrorKind; readonly message: string } & Omit<ApiErrorDetails, 'cause'>

export function errorData({ kind, message, code, param, retryAfterSeconds, length, modelId }: ApiError): ErrorData {
  return { kind, message, code, param, retryAfterSeconds, length, modelId }
}

export function fromErrorData({ kind, message, ...details }: ErrorData): ApiError {
  return new ApiError(kind, message, details)
}

/** Returns the error of a disk or database that temporarily accepts no writes. */
export function storageUnavailable(message: string, cause: unknown): ApiError {
  return new ApiError('unavailable', message, { code: 'storage_unavailable', retryAfterSeconds: 5, cause })
}

/**
 * Returns anything thrown as an ApiError. Failures of the disk and the database become 503, unknown errors `internal`
 * without detail. The cause is kept for the log.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const reason = storageReason(error)
  if (reason !== undefined) {
    return storageUnavailable(`The server cannot use its database now: ${reason}.`, error)
  }
  return new ApiError('internal', 'Something went wrong in the server. The request id helps to find it in its log.', {
    code: 'internal_error',
    cause: error,
  })
}

/** Failure to write to the database. The message completes "cannot write its database: …", without paths. */
export class StorageError extends Error {
  override name = 'StorageError'
}

/** Error after a commit that may not be on the disk: a power cut may undo it. */
export class UnflushedError extends StorageError {
  override name = 'UnflushedError'
}

/** Reasons by the beginning of SQLite's code. None of these is a fault of a request or of this program. */
const reasons: readonly (readonly [code: string, reason: string])[] = [
  ['SQLITE_FULL', 'its disk is full'],
  ['SQLITE_BUSY', 'another process keeps it locked'],
  ['SQLITE_READONLY', 'it is read-only'],
  ['SQLITE_IOERR', 'its disk fails, or has no room'],
  ['SQLITE_CANTOPEN', 'one of its files cannot be opened'],
  ['SQLITE_CORRUPT', 'it is damaged'],
  ['SQLITE_NOTADB', 'it is damaged'],
]

/** Returns the problem of the disk or the database behind an error; undefined for other errors. */
export function storageReason(error: unknown): string | undefined {
  if (error instanceof StorageError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons.find(([prefix]) => code.startsWith(prefix))?.[1]
}
