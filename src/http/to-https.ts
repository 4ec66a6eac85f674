/** Answers without TLS to other machines, where this server speaks TLS: a redirect for pages, a refusal for programs. */
import { ApiError } from '../core/errors.ts'
import { keyHeaders, sendsKey } from './authenticate.ts'
import { refuse } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { isOfPrograms } from './page.ts'
import type { Route } from './route.ts'
import { inSpokenDialect } from './spoken-dialect.ts'

/** Tells whether a route is served without TLS as well: what a client needs before it can trust this server. */
export function isServedInClear({ path }: Pick<Route, 'path'>): boolean {
  return path === '/ca.pem' || path.startsWith('/.well-known/')
}

/** Returns the encrypted address of this server under the host that a client used. */
export function httpsOrigin({ hostname }: URL, port = 443): string {
  return new URL(`https://${hostname}:${port}`).origin
}

/** Redirects documents. Programs are refused, because a redirect would have them send their key in clear each time. */
export function toHttps(exchange: Exchange<'config' | 'ui'>, origin: string): Response {
  const { request, url } = exchange
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const isPage = isRead && !isOfPrograms(url.pathname) && !sendsKey(request.headers, keyHeaders(exchange.dialect))
  if (isPage) {
    const location = `${origin}${url.pathname}${url.search}`
    return new Response(null, { status: 307, headers: { location, 'cache-control': 'no-store' } })
  }
  const error = new ApiError(
    'permission',
    `This server is served by https alone: set the base URL to ${origin}${url.pathname.startsWith('/v1') ? '/v1' : ''}. ` +
      'What this request sent, a key too, could be read on the way.',
    { code: 'https_required' },
  )
  return refuse(inSpokenDialect(exchange), error, { 'x-should-retry': 'false' })
}
