/** Headers of all answers: which pages may read them, and what a browser may do with them. */
import { keyHeaders, sendsKey } from './authenticate.ts'
import type { PathRules } from './path-rules.ts'

/** Time for which browsers may cache the answer to a preflight. */
const preflightMaxAgeSeconds = '86400'

/** Headers allowed if the preflight names none. */
const commonHeaders = [
  ...['authorization', 'content-type', 'x-api-key', 'anthropic-version', 'anthropic-beta'],
  'anthropic-dangerous-direct-browser-access',
].join(', ')

/** Sharing rules of a path. */
export interface SharingRules extends PathRules {
  /** Page origins served without a key where local programs need none. */
  readonly keylessOrigins: readonly string[]
}

/**
 * Lets pages of every site read the answer. Where some clients need no key, other sites can read only answers to
 * requests with a key. Answers that not every page may read are not cached unless their headers say otherwise.
 */
export function setSharingHeaders(request: Request, headers: Headers, rules: SharingRules): void {
  const readers = readersOf(request, rules, sendsKey(request.headers, keyHeaders(rules.dialect)))
  if (readers !== '*' && !headers.has('cache-control')) headers.set('cache-control', 'no-store')
  if (rules.mayBeKeyless) headers.append('vary', 'origin, authorization')
  if (readers === undefined) {
    // Pages that cannot read the answer may not embed it either.
    headers.set('cross-origin-resource-policy', 'same-origin')
    return
  }
  headers.set('access-control-allow-origin', readers)
  headers.set('access-control-expose-headers', '*')
}

/** Returns the answer to OPTIONS. `allowed` are the methods of the path. */
export function preflight(request: Request, allowed: readonly string[], rules: SharingRules): Response {
  const methods = allowed.length === 0 ? 'GET, HEAD, POST, DELETE, OPTIONS' : allowed.join(', ')
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
      // Client libraries add headers (x-stainless-…): all requested ones are allowed.
      'access-control-allow-headers': asked ?? commonHeaders,
      'access-control-max-age': preflightMaxAgeSeconds,
    },
  })
}

/**
 * Returns the pages that may read an answer, as in `access-control-allow-origin`. Undefined means only this server's.
 */
function readersOf({ headers }: Request, rules: SharingRules, hasKey: boolean): string | undefined {
  if (rules.isOwn) return undefined
  if (!rules.mayBeKeyless || hasKey) return '*'
  const origin = headers.get('origin')
  return origin !== null && rules.keylessOrigins.includes(origin) ? origin : undefined
}

/** Pages run only scripts that this server sends, talk only to this server, and cannot turn text into HTML. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Headers for a document with a form that posts to this server: the browser then names the page that sends it */
export const formHeaders = {
  'content-security-policy': contentSecurityPolicy.replace("form-action 'none'", "form-action 'self'"),
  'referrer-policy': 'same-origin',
}

const securityHeaders = Object.entries({
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'microphone=(self), camera=(), geolocation=(), payment=(), usb=()',
})

/** Adds the security headers of documents and of everything for this server's pages, unless they are set already. */
export function setSecurityHeaders(headers: Headers, { isOwn }: PathRules): void {
  const isDocument = headers.get('content-type')?.startsWith('text/html') === true
  if (!isOwn && !isDocument) return
  for (const [name, value] of securityHeaders) if (!headers.has(name)) headers.set(name, value)
}
