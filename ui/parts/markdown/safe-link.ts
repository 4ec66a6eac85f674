export interface SafeLink {
  readonly href: string
  /** What a reader should know before following it. */
  readonly host: string
}

const schemes: readonly string[] = ['http:', 'https:', 'mailto:']

/** A link of a model's text that may be followed; undefined for scripts, data, and what has no scheme of its own. */
export function safeLink(href: string): SafeLink | undefined {
  const url = URL.parse(href)
  if (url === null || !schemes.includes(url.protocol)) return undefined
  return { href: url.href, host: url.protocol === 'mailto:' ? url.pathname : url.host }
}
