import { isIP } from 'node:net'
import { ApiError } from '../core/errors.ts'
import type { Exchange } from './exchange.ts'

/**
 * Throws ApiError 421 `unknown_host` unless the request uses one of this server's names. A page of another site can
 * point its own name to this machine (DNS rebinding): its requests then carry that name as Host and as Origin, so that
 * neither proves the other.
 */
export function requireOwnHost({ url, services }: Exchange<'config'>): void {
  const { publicUrl, hostNames } = services.config
  const names = publicUrl === undefined ? hostNames : [...hostNames, new URL(publicUrl).hostname]
  if (!isOwnHost(url.hostname, names)) throw unknownHost(url.hostname)
}

/**
 * Returns whether a host is this server: an IP address, which no DNS answer can forge, localhost, or one of `names`.
 * Ignores case and a final dot. `hostname` is that of a URL: lower case, ASCII, IPv6 in brackets.
 */
export function isOwnHost(hostname: string, names: readonly string[]): boolean {
  const host = withoutFinalDot(hostname)
  if (host === 'localhost' || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return true
  return host !== '' && names.some((name) => withoutFinalDot(name.toLowerCase()) === host)
}

/** Returns the names of the machine `hostname` in a network: in full, the first label alone, and by multicast DNS. */
export function machineNames(hostname: string): string[] {
  const [label = ''] = hostname.split('.')
  return [hostname, label, `${label}.local`]
}

function withoutFinalDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}

function unknownHost(hostname: string): ApiError {
  const message =
    `This server does not know "${hostname.slice(0, 100)}" as a name of its own. ` +
    'Use its IP address or public URL, or have its operator add the name to the setting allowed-hosts.'
  return new ApiError('misdirected', message, { code: 'unknown_host' })
}
