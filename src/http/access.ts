/** Decides whether a route serves a request, and for whom. Elysia asks before each handler. */
import type { ValidSession } from '../accounts/sessions.ts'
import { ApiError } from '../core/errors.ts'
import { isStaff } from '../core/roles.ts'
import { readRequestId, readTraceParent, requestIdHeader } from '../core/trace.ts'
import { problemError } from '../operations/problem-words.ts'
import { isLocal, requireAdminReach } from './admin-reach.ts'
import { authenticate, type KeyHolder, keyHeaders, sendsKey } from './authenticate.ts'
import { readSessionCookie } from './dashboard/session-cookie.ts'
import type { Exchange } from './exchange.ts'
import { requireKeyless } from './keyless.ts'
import { requireNetwork } from './limits.ts'
import { notFound } from './not-served.ts'
import { requireOwnHost } from './own-host.ts'
import { type AccountCaller, accountCaller, type StaffCaller, sessionClient, staffCaller } from './perform.ts'
import type { Access, Callers, Route, Served } from './route.ts'
import type { SharedFiles } from './services.ts'

/** Checks before each handler, by the route's access: each returns the caller. Throws ApiError 401, 403, 404 or 421. */
export const guards: { readonly [Who in Access]: (exchange: Served, route: Route) => Callers[Who] } = {
  public: () => undefined,
  key: requireKey,
  ollama: requireKeyOrMachine,
  share: requireShare,
  monitor: requireMonitor,
  'own-host': requireOwn,
  'own-page': requireOwn,
  'own-admin': requireOwn,
  session: requireSession,
  playground: requireSession,
  staff: requireStaff,
}

/** Access to the operators' pages and what they ask for. */
const adminAccess: ReadonlySet<Access> = new Set(['own-admin', 'staff'])

function requireOwn(exchange: Exchange<'config'>, route: Route): void {
  requireOwnHost(exchange)
  if (adminAccess.has(route.access)) requireAdminReach(exchange)
  if (route.method !== 'GET') requireOwnPage(exchange, route)
}

function requireKey(exchange: Exchange<'stores'>): KeyHolder {
  const { request, dialect, services } = exchange
  return recorded(exchange, authenticate(request.headers, services.stores.keys, keyHeaders(dialect)))
}

/** Requires a key, unless local programs need none and the client is one. Refuses an invalid key in any case. */
function requireKeyOrMachine(exchange: Exchange<'stores' | 'config'>): KeyHolder {
  const { request, dialect } = exchange
  if (sendsKey(request.headers, keyHeaders(dialect))) return requireKey(exchange)
  return recorded(exchange, requireKeyless(exchange))
}

/**
 * Records the holder and the caller's own request id, which the log shows beside ours. Throws ApiError 403 outside of the
 * holder's networks.
 */
function recorded(exchange: Exchange<'stores'>, holder: KeyHolder): KeyHolder {
  const { observer, request } = exchange
  observer.accountId = holder.accountId
  observer.keyId = holder.keyId
  observer.callerRequestId = readRequestId(request.headers.get(requestIdHeader))
  observer.traceParent = readTraceParent(request.headers.get('traceparent'))
  requireNetwork(exchange, holder)
  return holder
}

/** Throws ApiError: 404 where nothing is shared, 401 without a key, 403 with a key of any account but operators'. */
function requireShare(exchange: Exchange<'share' | 'stores'>): SharedFiles {
  const { share, stores } = exchange.services
  if (share === undefined) throw notFound(exchange.url.pathname)
  if (stores.accounts.isOperator(requireKey(exchange).accountId)) return share
  throw new ApiError('permission', "Models are shared with keys of operators' accounts alone.", {
    code: 'operator_only',
  })
}

/**
 * Throws ApiError: for another machine 401 without a key and 403 with a key of any account but operators' and
 * auditors'; 421 for a page whose own name points to this machine.
 */
function requireMonitor(exchange: Exchange<'config' | 'stores'>): void {
  if (isLocal(exchange)) {
    requireOwnHost(exchange)
    return
  }
  const role = exchange.services.stores.accounts.roleOf(requireKey(exchange).accountId)
  if (role === 'operator' || role === 'auditor') return
  throw new ApiError('permission', "From other machines this takes a key of an operator's or auditor's account.", {
    code: 'operator_only',
  })
}

/** Returns the signed-in account. Throws ApiError 401 `not_signed_in` without a session; API keys do not count here. */
function requireSession(exchange: Exchange<'config' | 'stores'>, route: Route): AccountCaller {
  requireOwn(exchange, route)
  const { accountId, secret } = signedIn(exchange)
  return accountCaller(exchange, { accountId, session: secret })
}

/** Returns the signed-in staff. Throws ApiError 401 without a session, 403 with a member's or of a role of no use here. */
function requireStaff(exchange: Exchange<'config' | 'stores'>, route: Route): StaffCaller {
  requireOwn(exchange, route)
  const { accountId, secret, role, lacksSecondFactor } = signedIn(exchange)
  if (lacksSecondFactor) throw problemError({ code: 'second_factor_required' })
  if (!isStaff(role)) {
    throw new ApiError('permission', 'This is for staff who signed in by a password or their identity provider.', {
      code: 'not_an_operator',
    })
  }
  if (route.roles.includes(role)) return staffCaller(exchange, { accountId, session: secret, role })
  throw new ApiError('permission', `This is not for the role ${role}. Ask an operator.`, { code: 'not_for_role' })
}

function signedIn(exchange: Exchange<'stores'>): ValidSession & { readonly secret: string } {
  const { sessions } = exchange.services.stores
  const secret = sessionOf(exchange)
  const session = secret === undefined ? undefined : sessions.find(secret)
  if (secret === undefined || session === undefined) throw problemError({ code: 'not_signed_in' })
  sessions.noteUse(session, sessionClient(exchange))
  return { ...session, secret }
}

/** Returns the secret in the request's cookie, valid or not. */
export function sessionOf({ request, url, baseUrl }: Exchange): string | undefined {
  return readSessionCookie(request.headers.get('cookie'), isHttps(url, baseUrl))
}

/**
 * Tells whether the client sees an https address: this server speaks TLS itself, or the address is the public one and
 * encryption ends at a proxy.
 */
export function isHttps(url: URL, baseUrl: string): boolean {
  const base = new URL(baseUrl)
  return url.protocol === 'https:' || (base.protocol === 'https:' && base.host === url.host)
}

/**
 * Throws ApiError 403 `cross_origin` unless the request comes from a page of this server: browsers name the page of
 * every request that changes something. Our pages have the public origin or, unless the requested address is the
 * public https one, the requested origin. (At an https address, http pages may have been written by anybody on the
 * way.) Routes for scripts (`own-host`) accept requests that name no page, since these come from no browser. Throws
 * ApiError 415 unless the body is declared as JSON, which a form of another site cannot do.
 */
function requireOwnPage({ request, url, baseUrl }: Exchange, { access, file }: Route): void {
  const { headers } = request
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site') ?? 'same-origin'
  const secureOrigin = url.protocol === 'https:' ? url.origin : new URL(baseUrl).origin
  const own = isHttps(url, baseUrl) ? [secureOrigin] : [new URL(baseUrl).origin, url.origin]
  const isOwn = origin === null ? access === 'own-host' : own.includes(origin)
  if (!isOwn || site !== 'same-origin') {
    throw new ApiError('permission', 'This request comes from a page of another site.', { code: 'cross_origin' })
  }
  const isOfPages = access !== 'own-host' && file === undefined
  if (isOfPages && request.body !== null && !/^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '')) {
    throw new ApiError('unsupported_media_type', "Send the body with 'content-type: application/json'.", {
      code: 'unsupported_media_type',
    })
  }
}
