/** Meaning of HTTP statuses for a download. */
import { readRetryAfterMs } from '../../core/retry-after.ts'
import { shownAddress, WebError, type WebErrorKind } from './web-error.ts'

const longestWaitMs = 600_000

interface Meaning {
  readonly kind: WebErrorKind
  readonly text: string
}

/** Meanings by the hub's own code, which prevails over the status. */
const byCode: Readonly<Record<string, Meaning>> = {
  GatedRepo: {
    kind: 'final',
    text: "is gated: its licence must be accepted on the hub's site by the owner of the token; then set HF_TOKEN to that token",
  },
  RepoNotFound: {
    kind: 'final',
    text: 'is missing, private or gated: check the name, and set HF_TOKEN to a token that may read it',
  },
  RevisionNotFound: { kind: 'final', text: 'is not there: the repository has no such revision' },
  EntryNotFound: { kind: 'final', text: 'is not there: the repository has no such file at this revision' },
}

const byStatus: Readonly<Record<number, Meaning>> = {
  401: {
    kind: 'final',
    text: 'is missing, private or gated: check the address; if it is of the hub, set HF_TOKEN to a token that may read it',
  },
  403: {
    kind: 'final',
    text: 'is refused: check the address; if it is of the hub, check that the token may read it and that its licence is accepted',
  },
  404: { kind: 'final', text: 'is not there: check the address' },
  407: { kind: 'final', text: 'cannot be reached: the proxy wants a name and a password in its address' },
  408: { kind: 'again', text: 'was not sent: the server did not wait for the request' },
  410: { kind: 'final', text: 'was removed for good' },
  416: { kind: 'final', text: 'has no such bytes' },
  425: { kind: 'again', text: 'is not ready yet' },
  429: { kind: 'again', text: 'is not sent now: the server got too many requests' },
  451: { kind: 'final', text: 'is withheld for legal reasons' },
}

/** Returns the error of an answer; undefined for 2xx and redirects. */
export function statusError(address: URL, response: Response): WebError | undefined {
  const { status, headers } = response
  if (status >= 200 && status < 400) return undefined
  const code = headers.get('x-error-code') ?? ''
  const other: Meaning =
    status >= 500
      ? { kind: 'again', text: 'is not sent now: the server has an error' }
      : { kind: 'final', text: 'is refused' }
  const { kind, text } = (Object.hasOwn(byCode, code) ? byCode[code] : byStatus[status]) ?? other
  const retryAfterMs = kind === 'again' ? wishedWaitMs(headers) : undefined
  return new WebError(kind, `${shownAddress(address)} ${text} (${status})`, { status, code, retryAfterMs })
}

/** Returns the wait from `Retry-After` in seconds or as a date, or from the seconds in `ratelimit: "api";r=0;t=55`. */
function wishedWaitMs(headers: Headers): number | undefined {
  const seconds = /;\s*t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]
  const waitMs = readRetryAfterMs(headers.get('retry-after'), Date.now()) ?? Number(seconds ?? Number.NaN) * 1_000
  return Number.isNaN(waitMs) ? undefined : Math.min(waitMs, longestWaitMs)
}
