import type { SearchFilter } from '../core/web-search.ts'

type Matches = (url: URL) => boolean

/**
 * Returns whether a page may be a result: it lies at an allowed host or one below it, and at no blocked one. An entry may
 * have the beginning of a path.
 */
export function filterOf({ allowedDomains, blockedDomains = [] }: SearchFilter): Matches {
  const allowed = allowedDomains?.map(matcherOf)
  const blocked = blockedDomains.map(matcherOf)
  return (url) => !blocked.some((matches) => matches(url)) && (allowed?.some((matches) => matches(url)) ?? true)
}

/** Reads an entry as addresses are read, so that both spell a host alike. An unreadable entry matches nothing. */
function matcherOf(entry: string): Matches {
  const name = entry.replace(/^https?:\/\//i, '').replace(/^\*\./, '')
  const domain = name === '' ? null : URL.parse(`http://${name.replace(/\*$/, '')}`)
  if (domain === null) return () => false
  const host = hostOf(domain)
  const path = domain.pathname.toLowerCase()
  return (url) => {
    const found = hostOf(url)
    return (found === host || found.endsWith(`.${host}`)) && url.pathname.toLowerCase().startsWith(path)
  }
}

/** Returns the host without the dot that may end it. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '')
}
