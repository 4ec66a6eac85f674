import type { PathRules } from './path-rules.ts'

/** How long browsers may remember the answer to a preflight. */
const preflightMaxAgeSeconds = '86400'

/** Granted where the preflight names no headers. */
const commonHeaders = [
  ...['authorization', 'content-type', 'x-api-key', 'anthropic-version', 'anthropic-beta'],
  'anthropic-dangerous-direct-browser-access',
].join(', ')

/** Lets pages of every site read the answer; what is for pages of this server is kept out of caches, unless it says otherwise. */
export function setSharingHeaders(headers: Headers, { isOwn }: PathRules): void {
  if (isOwn) {
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    return
  }
  headers.set('access-control-allow-origin', '*')
  headers.set('access-control-expose-headers', '*')
}

/** The answer to OPTIONS. `allowed` are the methods of the path. */
export function preflight(request: Request, allowed: readonly string[], { isOwn }: PathRules): Response {
  const methods = allowed.length === 0 ? 'GET, HEAD, POST, OPTIONS' : allowed.join(', ')
  if (isOwn) return new Response(null, { status: 204, headers: { allow: methods } })
  return new Response(null, {
    status: 204,
    headers: {
      allow: methods,
      'access-control-allow-methods': methods,
      // Client libraries add headers of their own (x-stainless-…): whatever is asked for is granted.
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? commonHeaders,
      'access-control-max-age': preflightMaxAgeSeconds,
    },
  })
}
