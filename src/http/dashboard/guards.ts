import type { Sessions } from '../../accounts/sessions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Exchange, Handler } from '../services.ts'
import { readSessionCookie } from './session-cookie.ts'

/** Who is signed in. */
export interface Member {
  readonly accountId: string
  /** The session's. */
  readonly secret: string
}

/** For whoever is signed in; 401 `not_signed_in` for everybody else. Keys of the API do not count here. */
export function forMembers(handler: (exchange: Exchange, member: Member) => Response | Promise<Response>): Handler {
  return (exchange) => {
    const { record, services } = exchange
    const secret = sessionOf(exchange)
    const accountId = secret === undefined ? undefined : services.stores.sessions.accountOf(secret)
    if (secret === undefined || accountId === undefined) throw notSignedIn()
    record.accountId = accountId
    return handler(exchange, { accountId, secret })
  }
}

/** Within the transaction that acts: the session may have ended since, while the rest of the request was awaited. */
export function requireStillSignedIn(sessions: Pick<Sessions, 'accountOf'>, { accountId, secret }: Member): void {
  if (sessions.accountOf(secret) !== accountId) throw notSignedIn()
}

function notSignedIn(): ApiError {
  return new ApiError('authentication', 'Nobody is signed in here. Sign in at the dashboard.', {
    code: 'not_signed_in',
  })
}

/** The secret that the request's cookie carries, whatever it is worth. */
export function sessionOf({ request, url, baseUrl }: Exchange): string | undefined {
  const base = new URL(baseUrl)
  // Behind a proxy; who comes to this server directly comes without encryption.
  const isSecureHost = base.protocol === 'https:' && base.host === url.host
  return readSessionCookie(request.headers.get('cookie'), isSecureHost)
}

/** For requests of our own pages that change something; 403 `cross_origin` for those of any other page. */
export function fromOwnPages(handler: Handler): Handler {
  return (exchange) => {
    requireOwnOrigin(exchange)
    return handler(exchange)
  }
}

/**
 * Browsers say of every such request which page it comes from. Our own are those of this very address; behind a proxy also
 * those of the public one.
 */
export function requireOwnOrigin({ request, url, baseUrl }: Exchange): void {
  const origin = request.headers.get('origin')
  if (origin === url.origin || origin === new URL(baseUrl).origin) return
  throw new ApiError('permission', 'This request comes from a page of another site.', { code: 'cross_origin' })
}
