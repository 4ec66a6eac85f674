/** Addresses that pictures and documents may be fetched from. */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { FetchProblem } from './fetch-problem.ts'

/** Longest address in characters, more than any server accepts. */
const maxLength = 8192

/** Parses the address of a file or of a redirect, which may be relative to `base`. Throws FetchProblem. */
export function imageAddress(text: string, base?: URL): URL {
  if (text.length > maxLength) throw new FetchProblem(`its address has more than ${maxLength} characters.`)
  const address = URL.parse(text, base?.href)
  if (address === null) throw new FetchProblem('its address is not a URL.')
  if (address.protocol !== 'https:' && address.protocol !== 'http:') {
    throw new FetchProblem('its address begins neither with data:, nor with https:// or http://.')
  }
  if (address.username !== '' || address.password !== '') {
    throw new FetchProblem('its address holds a name or a password, which are not sent.')
  }
  return address
}

/** Public addresses that only machines in a cloud can reach. */
const internal = ['168.63.129.16']

/**
 * Returns whether an IP address belongs to the public Internet and not to this machine. False for private, local,
 * carrier-shared, multicast and documentation addresses, and for IPv6 forms of IPv4 addresses.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || internal.includes(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast' || ownAddresses().includes(address.toNormalizedString())) return false
  // All other IPv6 addresses are reserved.
  return address instanceof ipaddr.IPv4 || address.match(ipaddr.parseCIDR('2000::/3'))
}

/** Returns this machine's addresses, at any of which a service may trust requests from its own machine. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .flatMap(({ address }) => (ipaddr.isValid(address) ? [ipaddr.parse(address).toNormalizedString()] : []))
}
