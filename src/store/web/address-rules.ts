/** Which addresses are asked. Pure but for names, which the caller looks up. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface AddressRules {
  /** The operator said `--insecure`: plain http and private addresses anywhere. */
  readonly isInsecureAllowed: boolean
  /** Origins that the operator named, such as a mirror: redirects may lead there whatever their address. */
  readonly trustedOrigins: readonly string[]
}

/**
 * Why an address must not be asked, completing "<address> …"; undefined when it may. `isPrivate`: it lies on this machine or
 * its network. `from`: the address that redirects there, undefined where the operator named the address.
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

/** Whether a host is, or may be, one of this machine or its network. */
export function isPrivateHost(address: URL, addresses: readonly string[]): boolean {
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  return (isIP(host) === 0 ? addresses : [host]).some(isPrivateAddress)
}

function isPrivateAddress(text: string): boolean {
  return ipaddr.process(text).range() !== 'unicast'
}
