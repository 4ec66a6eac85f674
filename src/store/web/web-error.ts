/** Errors of fetching, in words for the operator, with the remedy. */

/** `again` may succeed later, and received data stays. `final` will not. */
export type WebErrorKind = 'again' | 'final'

export class WebError extends Error {
  override name = 'WebError'
  readonly kind: WebErrorKind
  /** Status of the answer. Undefined without one. */
  readonly status: number | undefined
  /** The hub's code for its refusal, such as `RevisionNotFound`. */
  readonly code: string | undefined
  /** Wait that the server asks for. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: WebErrorKind,
    message: string,
    options: {
      readonly status?: number | undefined
      readonly code?: string | undefined
      readonly retryAfterMs?: number | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.status = options.status
    this.code = options.code
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Returns an address to show: without the query, which may hold a signature, and without a password. */
export function shownAddress(address: URL | string): string {
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname}`
}
