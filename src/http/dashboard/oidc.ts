/** Sign-in by an identity provider: the browser leaves for it, comes back, and the provider may report a sign-out. */

import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { OperationError } from '../../operations/problem.ts'
import { problemError } from '../../operations/problem-words.ts'
import { asProblem } from '../../operations/provider-sessions.ts'
import { isHttps, sessionOf } from '../access.ts'
import { readBody } from '../bodies/read-body.ts'
import { clientNetwork } from '../client-address.ts'
import type { Exchange } from '../exchange.ts'
import { notFound } from '../not-served.ts'
import { idOf } from '../path-rules.ts'
import { anybody, type Performing, perform } from '../perform.ts'
import { readSignInCookie, signInCookie } from './session-cookie.ts'
import { sessionHeader } from './sign-in.ts'

/** Largest body of a sign-out that a provider reports. */
const logoutBytes = 20_000
const logoutTimeoutMs = 10_000

/**
 * Serves GET /oidc/start/NAME: sends the browser to the provider. `to`: page to open afterwards. `silent`: comes back
 * if the provider would have to ask. `link`: gives the identity to the account that is signed in.
 */
export async function startSignIn(exchange: Performing): Promise<Response> {
  const { url, request, baseUrl } = exchange
  const { providers, name } = providerOf(exchange)
  const isLink = url.searchParams.has('link')
  const linkTo = isLink ? signedInHere(exchange) : undefined
  const browser = readSignInCookie(request.headers.get('cookie'), isHttps(url, baseUrl)) ?? newId('', 43)
  exchange.limitSilence(false)
  const location = await providers
    .begin(name, {
      redirectUri: `${baseUrl}/oidc/callback/${name}`,
      to: localPath(url.searchParams.get('to')),
      browser,
      network: clientNetwork(exchange.clientAddress),
      isSilent: url.searchParams.has('silent'),
      linkTo,
    })
    .catch(asProblem)
    .catch(asApiError)
  return redirect(location, [signInCookie(browser, originOf(exchange))])
}

/** Serves GET /oidc/callback/NAME: signs in by the provider's answer and opens the page that was wanted. */
export async function finishSignIn(exchange: Performing): Promise<Response> {
  const { url, request, baseUrl } = exchange
  const { providers, name } = providerOf(exchange)
  const browser = readSignInCookie(request.headers.get('cookie'), isHttps(url, baseUrl)) ?? ''
  const returned = new URL(`${baseUrl}/oidc/callback/${name}${url.search}`)
  const silentTo = providers.endSilent({ provider: name, url: returned, browser })
  if (silentTo !== undefined) return redirect(`/dashboard/sign-in?next=${encodeURIComponent(silentTo)}`)
  exchange.limitSilence(false)
  const session = sessionOf(exchange)
  const begun = await perform(exchange, anybody(exchange), 'sessions-begin-by-oidc', {
    ...{ provider: name, url: returned.href, browser },
    ...(session !== undefined && { session }),
  })
  return redirect(begun.to, [sessionHeader(exchange, begun, originOf(exchange))])
}

/** Serves POST /oidc/logout/NAME: ends the sessions that the provider's logout token names. */
export async function endByProvider(exchange: Performing): Promise<Response> {
  const { name } = providerOf(exchange)
  const bounds = { limitBytes: logoutBytes, timeoutMs: logoutTimeoutMs, takesAnyType: true }
  const body = Buffer.concat(await readBody(exchange.request, bounds)).toString()
  const token = new URLSearchParams(body).get('logout_token')
  if (token === null) {
    throw new ApiError('invalid_request', "Send a form with the field 'logout_token'.", {
      ...{ code: 'missing_required_parameter', param: 'logout_token' },
    })
  }
  await perform(exchange, anybody(exchange), 'sessions-end-by-oidc', { provider: name, token })
  return Response.json({ signed_in: false }, { headers: { 'cache-control': 'no-store' } })
}

/** Returns the provider that the path names. Throws ApiError 404 for others. */
function providerOf({ services, url }: Performing) {
  const name = idOf(url)
  const providers = services.identityProviders
  if (providers?.find(name) === undefined) throw notFound(url.pathname)
  return { providers, name }
}

/**
 * Returns the account that is signed in. Throws ApiError 403 unless one of our pages asks: another site could let the
 * account have an identity of its own. Throws ApiError 401 if nobody is signed in.
 */
function signedInHere(exchange: Performing): string {
  if (exchange.request.headers.get('sec-fetch-site') !== 'same-origin') {
    throw new ApiError('permission', 'This request comes from a page of another site.', { code: 'cross_origin' })
  }
  const secret = sessionOf(exchange)
  const session = secret === undefined ? undefined : exchange.services.stores.sessions.find(secret)
  if (session === undefined) throw problemError({ code: 'not_signed_in' })
  return session.accountId
}

const ownPage = /^\/(dashboard|admin)(?![\w.-])/

/** Returns a page of this server to open after the sign-in: the wanted one, or the dashboard for anything else. */
export function localPath(wanted: string | null): string {
  const url = wanted === null || !ownPage.test(wanted) ? null : URL.parse(wanted, 'http://own.invalid')
  // Dots in the path may have led out of it.
  if (url === null || url.origin !== 'http://own.invalid' || !ownPage.test(url.pathname)) return '/dashboard'
  return url.pathname + url.search + url.hash
}

/** Returns the origin of the page for its cookies. A browser that comes from elsewhere names none. */
function originOf({ url, baseUrl }: Exchange): string {
  return isHttps(url, baseUrl) ? `https://${url.host}` : url.origin
}

function redirect(location: string, cookies: readonly string[] = []): Response {
  const response = new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

function asApiError(error: unknown): never {
  throw error instanceof OperationError ? problemError(error.problem) : error
}
