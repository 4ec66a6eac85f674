import ipaddr from 'ipaddr.js'

/** Placeholder for clients without an address. */
const unknown = 'unknown'

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number]

/**
 * Reads the address of a client in canonical form, IPv4 within IPv6 as IPv4. `x-forwarded-for` counts only when a
 * trusted proxy sends it. Its last entry that is not a trusted proxy is the client: earlier ones may be forged.
 */
export function clientAddressReader(
  trustedProxies: readonly string[],
): (peer: string | undefined, forwardedFor: string | null) => string {
  const networks = trustedProxies.map(toNetwork)
  const isTrusted = (address: string) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return networks.some(([network, length]) => network.kind() === parsed.kind() && parsed.match(network, length))
  }
  return (peer, forwardedFor) => {
    const direct = canonical(peer)
    if (direct === undefined) return unknown
    if (!isTrusted(direct) || forwardedFor === null) return direct
    let client = direct
    for (const entry of forwardedFor.split(',').reverse()) {
      const address = canonical(entry)
      if (address === undefined) return client
      client = address
      if (!isTrusted(address)) return client
    }
    return client
  }
}

function toNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Returns the canonical address. Some proxies add the port, and brackets around IPv6. */
function canonical(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? ''
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^([\d.]+):\d+$/, '$1')
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined
}

/** Returns the network of one client: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`
}
