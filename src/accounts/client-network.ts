import ipaddr from 'ipaddr.js'

/** What one client has for itself: an IPv4 address, of IPv6 the /64. */
export function clientNetwork(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const { parts } = ipaddr.IPv6.parse(address)
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
