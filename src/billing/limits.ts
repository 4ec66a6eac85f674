import ipaddr from 'ipaddr.js'

/** Limits of an account or a key. An absent field sets no limit; an empty list allows nothing. */
export interface Limits {
  /** Most nano-USD that requests of one UTC day may cost */
  readonly dailyNanoUsd?: number | undefined
  /** Most nano-USD that requests of one UTC month may cost */
  readonly monthlyNanoUsd?: number | undefined
  readonly requestsPerMinute?: number | undefined
  /** Most tokens of prompts, without cached ones, and answers */
  readonly tokensPerMinute?: number | undefined
  /** Most requests that wait or run at a time */
  readonly parallel?: number | undefined
  /** Canonical ids */
  readonly models?: readonly string[] | undefined
  /** Paths below /v1, as in usage records */
  readonly endpoints?: readonly string[] | undefined
  /** Addresses, and networks such as 10.1.0.0/16 */
  readonly networks?: readonly string[] | undefined
}

export const limitNumbers = [
  'dailyNanoUsd',
  'monthlyNanoUsd',
  'requestsPerMinute',
  'tokensPerMinute',
  'parallel',
] as const
export const limitLists = ['models', 'endpoints', 'networks'] as const

/** Returns limits that allow exactly what both allow. */
export function strictest(a: Limits, b: Limits): Limits {
  const numbers = limitNumbers.map((name) => [name, stricter(a[name], b[name], Math.min)])
  const names = (['models', 'endpoints'] as const).map((name) => [name, stricter(a[name], b[name], inBoth)])
  const limits = [...numbers, ...names, ['networks', stricter(a.networks, b.networks, commonNetworks)]]
  return Object.fromEntries(limits.filter(([, limit]) => limit !== undefined))
}

function stricter<Limit>(
  a: Limit | undefined,
  b: Limit | undefined,
  both: (a: Limit, b: Limit) => Limit,
): Limit | undefined {
  return a === undefined || b === undefined ? (a ?? b) : both(a, b)
}

function inBoth(a: readonly string[], b: readonly string[]): readonly string[] {
  return a.filter((name) => b.includes(name))
}

/** Bits before an IPv4 address that IPv6 maps, as in ::ffff:10.1.2.3 */
const mappedBits = 96

type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number]

/**
 * Returns the network with this address or in this CIDR notation, as IPv4 where IPv6 maps it; undefined for other texts.
 * IPv4 has four decimal numbers: shorter and octal forms would name addresses that nobody means.
 */
export function parseNetwork(text: string): Network | undefined {
  const [address = ''] = text.split('/')
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined
  const notation = text.includes('/') ? text : `${text}/${address.includes(':') ? 128 : 32}`
  if (!ipaddr.isValidCIDR(notation)) return undefined
  const [parsed, length] = ipaddr.parseCIDR(notation)
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= mappedBits
  return isMapped ? [parsed.toIPv4Address(), length - mappedBits] : [parsed, length]
}

/** Returns whether an address lies in one of the networks. False for texts that are no address. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const network = parseNetwork(address)
  return network !== undefined && networks.some((each) => contains(parseNetwork(each), network))
}

/** Returns the addresses that both lists have: of two networks either one contains the other, or they share nothing. */
function commonNetworks(a: readonly string[], b: readonly string[]): readonly string[] {
  const within = (inner: readonly string[], outer: readonly string[]) =>
    inner.filter((text) => outer.some((each) => contains(parseNetwork(each), parseNetwork(text))))
  return [...new Set([...within(a, b), ...within(b, a)])]
}

function contains(outer: Network | undefined, inner: Network | undefined): boolean {
  if (outer === undefined || inner === undefined) return false
  const [[network, length], [address, innerLength]] = [outer, inner]
  if (network instanceof ipaddr.IPv4 !== address instanceof ipaddr.IPv4 || length > innerLength) return false
  return address.match(network, length)
}
