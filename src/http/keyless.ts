/** Requests without a key, if the operator allows them for programs of this machine. */
import { ApiError } from '../core/errors.ts'
import { isLocal } from './admin-reach.ts'
import { holderOf, type KeyHolder } from './authenticate.ts'
import type { Exchange } from './exchange.ts'
import { requireOwnHost } from './own-host.ts'

/**
 * Returns the account that pays for a request without a key. Accepts programs of this machine but not pages, because
 * any page in a browser here could send requests: browsers reveal pages by Origin, or by Sec-Fetch-Site where another
 * site requests a picture or a document. The operator may allow origins. Throws ApiError 401 for another machine, and
 * if the operator has revoked the key under which such requests are recorded; 421 for a page whose own name points
 * here; 403 for any other page.
 */
export function requireKeyless(exchange: Exchange<'config' | 'stores'>): KeyHolder {
  const { config, stores } = exchange.services
  if (!config.servesKeyless || !isLocal(exchange)) {
    throw new ApiError(
      'authentication',
      "Send an API key in the header 'Authorization: Bearer <key>'. " +
        'Programs on the machine of the server need none if its operator starts it with --ollama-keyless.',
      { code: 'missing_api_key' },
    )
  }
  requireOwnHost(exchange)
  if (!isOfProgram(exchange.request.headers, config.keylessOrigins)) {
    throw new ApiError(
      'permission',
      "Pages need an API key: 'Authorization: Bearer <key>'. Or have the operator add the page's origin to the setting ollama-origins.",
      { code: 'cross_origin' },
    )
  }
  const verdict = stores.keys.keyless() ?? { kind: 'revoked' }
  if (verdict.kind !== 'revoked') return { ...holderOf(verdict), isKeyless: true }
  throw new ApiError(
    'authentication',
    "The operator has ended the use without a key. Send an API key in the header 'Authorization: Bearer <key>'.",
    { code: 'key_revoked' },
  )
}

/** Returns the account that pays for a request without a key; undefined for a client that needs one. */
export function findKeyless(exchange: Exchange<'config' | 'stores'>): KeyHolder | undefined {
  try {
    return requireKeyless(exchange)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function isOfProgram(headers: Headers, keylessOrigins: readonly string[]): boolean {
  const origin = headers.get('origin')
  if (origin !== null) return keylessOrigins.includes(origin)
  return ['none', 'same-origin'].includes(headers.get('sec-fetch-site') ?? 'none')
}
