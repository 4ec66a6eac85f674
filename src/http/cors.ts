import { sendsKey } from './authenticate.ts'
import type { PathRules } from './path-rules.ts'
import type { ErrorDialect } from './services.ts'

/** How long browsers may remember the answer to a preflight. */
const preflightMaxAgeSeconds = '86400'

/** Granted where the preflight names no headers. */
const commonHeaders = [
  ...['authorization', 'content-type', 'x-api-key', 'anthropic-version', 'anthropic-beta'],
  'anthropic-dangerous-direct-browser-access',
].join(', ')

/** The headers that a path's clients send a key in. */
export function keyHeaders(dialect: ErrorDialect): { readonly acceptsApiKeyHeader: boolean } {
  return { acceptsApiKeyHeader: dialect === 'messages' }
}

/** What may be shared with whom. */
export interface SharingRules extends PathRules {
  /** Pages that need no key where programs of this machine need none. */
  readonly keylessOrigins: readonly string[]
}

/**
 * Lets pages of every site read the answer, but no page that of a request without a key where some need none. What is not for every
 * page is kept out of caches, unless it says otherwise.
 */
export function setSharingHeaders(request: Request, headers: Headers, rules: SharingRules): void {
  const readers = readersOf(request, rules, sendsKey(request.headers, keyHeaders(rules.dialect)))
  if (readers !== '*' && !headers.has('cache-control')) headers.set('cache-control', 'no-store')
  if (rules.mayBeKeyless) headers.append('vary', 'origin, authorization')
  if (readers === undefined) {
    // Nor may a page that cannot read it embed it.
    headers.set('cross-origin-resource-policy', 'same-origin')
    return
  }
  headers.set('access-control-allow-origin', readers)
  headers.set('access-control-expose-headers', '*')
}

/** The answer to OPTIONS. `allowed` are the methods of the path. */
export function preflight(request: Request, allowed: readonly string[], rules: SharingRules): Response {
  const methods = allowed.length === 0 ? 'GET, HEAD, POST, OPTIONS' : allowed.join(', ')
  const asked = request.headers.get('access-control-request-headers')
  const announcesKey = /(^|[,\s])(authorization|x-api-key)\s*(,|$)/i.test(asked ?? '')
  const readers = readersOf(request, rules, announcesKey)
  if (readers === undefined) return new Response(null, { status: 204, headers: { allow: methods } })
  return new Response(null, {
    status: 204,
    headers: {
      allow: methods,
      'access-control-allow-origin': readers,
      'access-control-allow-methods': methods,
      // Client libraries add headers of their own (x-stainless-…): whatever is asked for is granted.
      'access-control-allow-headers': asked ?? commonHeaders,
      'access-control-max-age': preflightMaxAgeSeconds,
    },
  })
}

/** Pages that may read an answer, as `access-control-allow-origin` names them; undefined: those of this server alone. */
function readersOf({ headers }: Request, rules: SharingRules, hasKey: boolean): string | undefined {
  if (rules.isOwn) return undefined
  if (!rules.mayBeKeyless || hasKey) return '*'
  const origin = headers.get('origin')
  return origin !== null && rules.keylessOrigins.includes(origin) ? origin : undefined
}
