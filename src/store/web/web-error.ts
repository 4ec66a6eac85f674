/** Why something was not fetched, in words for the operator, and what can be done about it. */

/**
 * `again`: the same may work later, what is there stays. `address`: an address that was given for a while is refused.
 * `range`: the answer is no part of a file. `changed`: the file at the address is another one now. `final`: none of these.
 */
export type WebErrorKind = 'again' | 'address' | 'range' | 'changed' | 'final'

export class WebError extends Error {
  override name = 'WebError'
  readonly kind: WebErrorKind
  /** The server's wish. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: WebErrorKind,
    message: string,
    options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs
  }
}

/** An address as it may be shown: without the query, which may hold a signature, and without a password. */
export function shownAddress(address: URL | string): string {
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname}`
}
