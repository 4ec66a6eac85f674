import type { SearchFilter } from '../core/web-search.ts'

/**
 * Returns whether a page may be a result: it lies at an allowed host or one below it, and at no blocked one. An entry may
 * have the beginning of a path.
 */
export function isAllowed(url: URL, { allowedDomains, blockedDomains = [] }: SearchFilter): boolean {
  if (blockedDomains.some((entry) => isAt(url, entry))) return false
  return allowedDomains === undefined || allowedDomains.some((entry) => isAt(url, entry))
}

function isAt({ hostname, pathname }: URL, entry: string): boolean {
  const [host = '', ...rest] = entry.toLowerCase().replace(/^\*\./, '').split('/')
  const path = rest.join('/').replace(/\*$/, '')
  const isHost = host !== '' && (hostname === host || hostname.endsWith(`.${host}`))
  return isHost && pathname.toLowerCase().startsWith(`/${path}`)
}
