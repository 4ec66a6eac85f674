/** Why something was not fetched, in words for the operator, and what can be done about it. */

/** `again`: the same may work later, and what is there stays. `final`: it will not. */
export type WebErrorKind = 'again' | 'final'

export class WebError extends Error {
  override name = 'WebError'
  readonly kind: WebErrorKind
  /** Of the answer, where there was one. */
  readonly status: number | undefined
  /** The hub's own word for its refusal, e.g. `RevisionNotFound`. */
  readonly code: string | undefined
  /** The server's wish. */
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

/** An address as it may be shown: without the query, which may hold a signature, and without a password. */
export function shownAddress(address: URL | string): string {
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname}`
}
