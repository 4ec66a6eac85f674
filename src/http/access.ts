/** Whether a route serves a request, and for whom. */
import { ApiError } from '../core/errors.ts'
import { authenticate, type KeyHolder } from './authenticate.ts'
import { readSessionCookie } from './dashboard/session-cookie.ts'
import { notFound } from './errors.ts'
import { requireOwnHost } from './own-host.ts'
import { type AccountCaller, accountCaller, problemError } from './perform.ts'
import type { Route } from './route.ts'
import type { Exchange, SharedFiles } from './services.ts'

/** Runs a route's handler if the route serves this request. Throws ApiError 401, 403 or 421 otherwise. */
export function serveRoute(route: Route, exchange: Exchange): Response | Promise<Response> {
  if (route.access === 'public') return route.handle(exchange)
  if (route.access === 'key') return route.handle(exchange, requireKey(exchange))
  if (route.access === 'share') return route.handle(exchange, requireShare(exchange))
  requireOwnHost(exchange)
  if (route.method !== 'GET') requireOwnOrigin(exchange, { isOptional: route.access === 'own-host' })
  return route.access === 'session' ? route.handle(exchange, requireSession(exchange)) : route.handle(exchange)
}

function requireKey({ request, record, dialect, services }: Exchange): KeyHolder {
  const acceptsApiKeyHeader = dialect === 'messages'
  const holder = authenticate(request.headers, services.stores.keys, { acceptsApiKeyHeader })
  record.accountId = holder.accountId
  record.keyId = holder.keyId
  return holder
}

/** Throws ApiError: 404 where nothing is shared, 401 without a key, 403 with a key of any account but the operator's. */
function requireShare(exchange: Exchange): SharedFiles {
  const { share, stores } = exchange.services
  if (share === undefined) throw notFound(exchange.url.pathname)
  if (stores.accounts.isOperator(requireKey(exchange).accountId)) return share
  throw new ApiError('permission', "Models are shared with keys of the operator's own account alone.", {
    code: 'operator_only',
  })
}

/** The account that is signed in. Throws ApiError 401 `not_signed_in` without a session; API keys do not count here. */
function requireSession(exchange: Exchange): AccountCaller {
  const session = sessionOf(exchange)
  const accountId = session === undefined ? undefined : exchange.services.stores.sessions.accountOf(session)
  if (session === undefined || accountId === undefined) throw problemError({ code: 'not_signed_in' })
  return accountCaller(exchange, accountId, session)
}

/** The secret in the request's cookie, valid or not. */
export function sessionOf({ request, url, baseUrl }: Exchange): string | undefined {
  const base = new URL(baseUrl)
  // Encryption ends at the proxy: a request that comes to this server directly is not encrypted.
  const isSecureHost = base.protocol === 'https:' && base.host === url.host
  return readSessionCookie(request.headers.get('cookie'), isSecureHost)
}

/**
 * Throws ApiError 403 `cross_origin` unless the request comes from a page of this server. Browsers say which page sends a
 * request that changes something. Our own pages are those of the address that was asked for; behind a proxy also those of
 * the public one. `isOptional`: a request that names no page is from no browser, and passes.
 */
function requireOwnOrigin({ request, url, baseUrl }: Exchange, { isOptional = false } = {}): void {
  const origin = request.headers.get('origin')
  if (origin === null && isOptional) return
  if (origin === url.origin || origin === new URL(baseUrl).origin) return
  throw new ApiError('permission', 'This request comes from a page of another site.', { code: 'cross_origin' })
}
