/** Rules for addresses to fetch from. Pure except for names, which the caller resolves. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface AddressRules {
  /** True with `--insecure`: plain http and private addresses are allowed. */
  readonly isInsecureAllowed: boolean
  /** Origins that the operator named, such as a mirror. Redirects may lead there whatever their address. */
  readonly trustedOrigins: readonly string[]
}

/**
 * Returns why an address must not be fetched, completing "<address> …"; undefined if it may. `isPrivate` means on this
 * machine or its network. `from` is the redirecting address, undefined if the operator named the address.
 */
export function addressProblem(
  address: URL,
  rules: AddressRules,
  { isPrivate, from }: { readonly isPrivate: boolean; readonly from?: { url: URL; isPrivate: boolean } | undefined },
): string | undefined {
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return 'is neither https nor http'
  if (address.username !== '' || address.password !== '') return 'holds a name or a password'
  if (rules.isInsecureAllowed || rules.trustedOrigins.includes(address.origin)) return undefined
  if (from === undefined) {
    return address.protocol === 'https:' || isPrivate ? undefined : 'is not encrypted: use https, or --insecure'
  }
  if (from.url.origin === address.origin) return undefined
  const allow = `and ${from.url.host} redirects there; --insecure allows it`
  if (from.url.protocol === 'https:' && address.protocol === 'http:') return `is not encrypted, ${allow}`
  return isPrivate && !from.isPrivate ? `is a private address, ${allow}` : undefined
}

/** Returns whether a host is, or may be, on this machine or its network. */
export function isPrivateHost(address: URL, addresses: readonly string[]): boolean {
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return (isIP(host) === 0 ? addresses : [host]).some(isPrivateAddress)
}

function isPrivateAddress(text: string): boolean {
  return ipaddr.process(text).range() !== 'unicast'
}
