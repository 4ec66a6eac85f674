import { sessionDays } from '../../accounts/sessions.ts'
import { isStaff } from '../../core/roles.ts'
import type { OperationResult } from '../../operations/operations.ts'
import { sessionOf } from '../access.ts'
import type { Exchange } from '../exchange.ts'
import { hint } from '../own-commands.ts'
import { anybody, type Performing, perform, performBody } from '../perform.ts'
import { expiredSessionCookies, sessionCookie } from './session-cookie.ts'

/** Serves POST sign-in by address and password. */
export async function signIn(exchange: Performing): Promise<Response> {
  return signedIn(exchange, await performBody(exchange, anybody(exchange), 'sessions-begin'))
}

/** Serves POST session: exchanges a mailed link's secret for a session. */
export async function signInByLink(exchange: Performing): Promise<Response> {
  return signedIn(exchange, await performBody(exchange, anybody(exchange), 'sessions-begin-by-link'))
}

/** Serves POST setup: exchanges a setup link's secret and a password for an operator's session. */
export async function setUp(exchange: Performing): Promise<Response> {
  return signedIn(exchange, await performBody(exchange, anybody(exchange), 'admin-setup'))
}

/** Returns the answer with the session's secret in the cookie and nowhere else. */
function signedIn(exchange: Exchange, session: OperationResult<'sessions-begin'>): Response {
  const cookie = sessionHeader(exchange, session, exchange.request.headers.get('origin') ?? exchange.url.origin)
  return Response.json({ signed_in: true, is_staff: isStaff(session.role) }, { headers: { 'set-cookie': cookie } })
}

/** Returns the cookie of a session that has begun, for a page at `origin`. */
export function sessionHeader(
  { observer }: Exchange,
  { accountId, secret, role }: OperationResult<'sessions-begin'>,
  origin: string,
): string {
  observer.accountId = accountId
  return sessionCookie(secret, { origin, days: sessionDays[isStaff(role) ? 'staff' : 'member'] })
}

/**
 * Serves POST sign-in-link: mails a link that signs in. The answer does not reveal whether there is such an account.
 */
export async function mailSignInLink(exchange: Performing): Promise<Response> {
  const { sendsMail } = await performBody(exchange, anybody(exchange), 'sessions-send-link')
  const way = sendsMail ? 'is on its way' : "waits for the operator to hand it out ('inferd outbox')"
  const message = `If the address has an account, a link ${way}.`
  // A browser on this machine also gets the command by which its operator hands the link out.
  return Response.json({ message: hint(exchange, message) }, { status: 202 })
}

/**
 * Serves POST sign-out: ends the session, if there is one. `continue_at` is the address that ends the session at its
 * identity provider as well.
 */
export async function signOut(exchange: Performing): Promise<Response> {
  const { services, baseUrl } = exchange
  const secret = sessionOf(exchange)
  const session = secret === undefined ? undefined : services.stores.sessions.find(secret)
  if (secret !== undefined) await perform(exchange, anybody(exchange), 'sessions-sign-out', { session: secret })
  const back = `${baseUrl}/dashboard/sign-in`
  const provider = session?.provider
  const url = provider === undefined ? undefined : await services.identityProviders?.signOutUrl(provider, back)
  const response = Response.json({ signed_in: false, continue_at: url ?? null })
  for (const cookie of expiredSessionCookies()) response.headers.append('set-cookie', cookie)
  return response
}
