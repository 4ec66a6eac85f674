/**
 * Why a request to an upstream server failed.
 *
 * - `connect`: no connection: unknown name, refused, unreachable, too slow.
 * - `tls`: the server's certificate or its version of TLS is refused.
 * - `status`: another status than 2xx; see `status`.
 * - `redirect`: 3xx, which is never followed.
 * - `not-events`: an answer of another type than was asked for, such as a page of HTML.
 * - `malformed`: no HTTP or no JSON; or it is compressed, which was not asked for.
 * - `too-large`: a head, line, event or body above its limit.
 * - `no-answer`: nothing that counts came within `firstByteMs`.
 * - `idle`: the answer began, and nothing that counts came within `idleMs`.
 * - `too-long`: the whole took more than `totalMs`.
 * - `cut`: the connection ended before the answer did.
 */
export type UpstreamFailureKind =
  | 'connect'
  | 'tls'
  | 'status'
  | 'redirect'
  | 'not-events'
  | 'malformed'
  | 'too-large'
  | 'no-answer'
  | 'idle'
  | 'too-long'
  | 'cut'

export interface UpstreamFailureFacts {
  readonly status?: number | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly detail?: string | undefined
  readonly cause?: unknown
}

/** A request to an upstream server failed. The message is for the operator: it holds no key, no URL and no text of the server. */
export class UpstreamFailure extends Error {
  override name = 'UpstreamFailure'
  readonly kind: UpstreamFailureKind
  /** Of kinds `status` and `redirect`. */
  readonly status: number | undefined
  /** What the server asks for, at most an hour. */
  readonly retryAfterSeconds: number | undefined
  /** The beginning of the server's own text, for the log alone and without the key; empty where there is none. */
  readonly detail: string

  constructor(kind: UpstreamFailureKind, message: string, facts: UpstreamFailureFacts = {}) {
    super(message, { cause: facts.cause })
    this.kind = kind
    this.status = facts.status
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.detail = facts.detail ?? ''
  }
}

/** An answer that is none. `what`: what the server answered with. */
export function malformedAnswer(what: string): UpstreamFailure {
  return new UpstreamFailure('malformed', `the server answered with ${what}`)
}
