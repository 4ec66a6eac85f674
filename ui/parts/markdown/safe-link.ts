export interface SafeLink {
  readonly href: string
  /** Host or address of mail, shown before the link is followed. */
  readonly host: string
}

const schemes: readonly string[] = ['http:', 'https:', 'mailto:']

/** Returns a link from a model's text that is safe to follow; undefined for scripts, data and relative links. */
export function safeLink(href: string): SafeLink | undefined {
  const url = URL.parse(href)
  if (url === null || !schemes.includes(url.protocol)) return undefined
  return { href: url.href, host: url.protocol === 'mailto:' ? url.pathname : url.host }
}
