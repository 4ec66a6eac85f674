/**
 * Kind of a failed request to an upstream server.
 * - `connect`: no connection: unknown name, refused, unreachable, too slow.
 * - `tls`: the server's certificate or its version of TLS is refused.
 * - `status`: another status than 2xx; see `status`.
 * - `redirect`: 3xx, which is never followed.
 * - `not-events`: an answer of another type than requested, such as a page of HTML.
 * - `malformed`: invalid HTTP or JSON; or it is compressed, which was not requested.
 * - `too-large`: a head, line, event or body above its limit.
 * - `no-answer`: no significant data within `firstByteMs`.
 * - `idle`: the answer began, then no significant data within `idleMs`.
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

/**
 * Failed request to an upstream server. The message is for the operator and contains no key, no URL and no text of the
 * server.
 */
export class UpstreamFailure extends Error {
  override name = 'UpstreamFailure'
  readonly kind: UpstreamFailureKind
  /** HTTP status, for the kinds `status` and `redirect`. */
  readonly status: number | undefined
  /** Wait requested by the server, at most an hour. */
  readonly retryAfterSeconds: number | undefined
  /** Beginning of the server's own text, only for the log and without the key. Empty if there is none. */
  readonly detail: string

  constructor(kind: UpstreamFailureKind, message: string, facts: UpstreamFailureFacts = {}) {
    super(message, { cause: facts.cause })
    this.kind = kind
    this.status = facts.status
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.detail = facts.detail ?? ''
  }
}

/** Returns the failure of an invalid answer. `what` names its content. */
export function malformedAnswer(what: string): UpstreamFailure {
  return new UpstreamFailure('malformed', `the server answered with ${what}`)
}
