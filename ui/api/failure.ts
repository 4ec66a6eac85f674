/** Facts about a request that failed. */
interface FailureFacts {
  /** HTTP status. 0 without an answer. */
  readonly status: number
  readonly code: string
  /** Field that the error is about */
  readonly param: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
}

export class RequestFailure extends Error {
  readonly facts: FailureFacts

  constructor(message: string, facts: FailureFacts) {
    super(message)
    this.facts = facts
  }
}

/** Returns the failure of a request without an answer: the server does not run or cannot be reached. */
export function noConnection(): RequestFailure {
  return new RequestFailure('There is no connection to inferd.', {
    status: 0,
    code: 'no_connection',
    param: undefined,
    requestId: undefined,
    retryAfterSeconds: undefined,
  })
}

/** Reads an answer that is an error. A proxy in front may answer in another format. */
export function toFailure(status: number, headers: Headers, body: unknown): RequestFailure {
  const error = objectOf(objectOf(body)?.error)
  const message = textOf(error?.message) ?? `The server answered with status ${status}.`
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  return new RequestFailure(message, {
    status,
    code: textOf(error?.code) ?? 'unknown',
    param: textOf(error?.param),
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  })
}

/** Statuses of temporary refusals: a timeout, a passing state, too many requests */
const passingStatuses: readonly number[] = [408, 409, 425, 429]

/** Tells whether a repeated request may succeed. Requests with refused content are refused again. */
export function canRetry({ facts: { status } }: RequestFailure): boolean {
  return status < 400 || status >= 500 || passingStatuses.includes(status)
}

/** Returns anything thrown as a failure. */
export function asFailure(thrown: unknown): RequestFailure {
  if (thrown instanceof RequestFailure) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return toFailure(0, new Headers(), { error: { message, code: 'page_failed' } })
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
