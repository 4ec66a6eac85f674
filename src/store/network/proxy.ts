/** Which proxy an address is reached through, as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` say it to all programs. */

type Environment = Readonly<Record<string, string | undefined>>

/** The proxy's address; undefined: none. */
export function proxyFor({ protocol, hostname, port }: URL, environment: Environment): string | undefined {
  const said = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined
  const proxy = said(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? said('ALL_PROXY')
  if (proxy === undefined || !/^https?:\/\//.test(proxy)) return undefined
  const exceptions = (said('NO_PROXY') ?? '').split(',').map((name) => name.trim().toLowerCase())
  return exceptions.some((name) => isExcepted(name, hostname.toLowerCase(), port)) ? undefined : proxy
}

function isExcepted(name: string, hostname: string, port: string): boolean {
  if (name === '') return false
  if (name === '*') return true
  const [, host = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(name) ?? []
  if (onlyPort !== undefined && onlyPort !== port) return false
  const domain = host.replace(/^\*?\./, '')
  return hostname === domain || hostname.endsWith(`.${domain}`)
}
