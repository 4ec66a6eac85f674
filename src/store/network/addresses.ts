/** Which addresses may be asked: those that the operator named, and where these lead by redirects. */
import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** Names that no public server has. */
const privateName = /^[^.]+$|\.(localhost|local|lan|home|internal|intranet|home\.arpa)$/

/** Whether a host of an address is on this machine or in a private network, by its name alone. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return ipaddr.isValid(host) ? ipaddr.process(host).range() !== 'unicast' : privateName.test(host)
}

/** Why an address cannot be asked, as "<address> …"; undefined when it can. */
export function addressProblem(address: URL, allowsPlainHttp: boolean): string | undefined {
  const { protocol, username, password, hostname } = address
  if (protocol !== 'https:' && protocol !== 'http:') return `is not an https address`
  if (username !== '' || password !== '') return 'holds a name or password, which would be seen in logs'
  if (protocol === 'https:' || allowsPlainHttp || isPrivateHost(hostname)) return undefined
  return 'is plain http, where anybody on the way can change the content: use https, or --insecure to accept that'
}

/**
 * Why a redirect from one address to another must not be followed; undefined when it may. Public servers do not send anybody
 * into a private network, neither by an address nor by a name that stands for one.
 */
export async function redirectProblem(from: URL, to: URL, allowsPlainHttp: boolean): Promise<string | undefined> {
  const problem = addressProblem(to, allowsPlainHttp)
  if (problem !== undefined) return problem
  if (from.protocol === 'https:' && to.protocol === 'http:' && !allowsPlainHttp)
    return 'is plain http, and the address that leads there is not'
  if (from.host === to.host || isPrivateHost(from.hostname)) return undefined
  if (isPrivateHost(to.hostname) || (await standsForPrivate(to.hostname))) return 'is in a private network'
  return undefined
}

async function standsForPrivate(hostname: string): Promise<boolean> {
  // A name that cannot be found fails later, or is known to the proxy alone.
  const found = await lookup(hostname, { all: true }).catch(() => [])
  return found.some(({ address }) => isPrivateHost(address))
}
