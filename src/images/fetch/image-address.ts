/** Which addresses pictures are fetched from. */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { FetchProblem } from './fetch-problem.ts'

/** More than any server takes. */
const maxLength = 8192

/** The address of a picture, or where one redirects to, which may be relative to `base`. Throws FetchProblem. */
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

/** Addresses of the public Internet that answer to machines of a cloud alone. */
const internal = ['168.63.129.16']

/**
 * Whether an IP address belongs to the public Internet, and not to this machine: none that is private, local, shared among
 * customers of a provider, for groups, for documents, or a form of IPv6 that stands for an address of IPv4.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || internal.includes(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast' || ownAddresses().includes(address.toNormalizedString())) return false
  // All others are reserved.
  return address instanceof ipaddr.IPv4 || address.match(ipaddr.parseCIDR('2000::/3'))
}

/** A service may trust whatever comes from its own machine, by any of its addresses. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .flatMap(({ address }) => (ipaddr.isValid(address) ? [ipaddr.parse(address).toNormalizedString()] : []))
}
