/** Address that a server listens on: its reach, links to it, and failures to listen. */
import { isIP } from 'node:net'
import { errorText } from './error-text.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Returns whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Reach of the operator's pages: from this machine, from every machine, or none. */
export type AdminReach = 'loopback' | 'network' | 'off'

interface AdminSettings {
  readonly admin: AdminReach
  readonly publicUrl?: string | undefined
  /** Defaults to `off`. */
  readonly tls?: string
  /** True if programs of this machine are served without TLS too. */
  readonly localHttp?: boolean
}

/** Returns the base of links to the operator's pages, without path; undefined if these pages are off. */
export function adminBase(
  { admin, publicUrl, tls = 'off', localHttp = true }: AdminSettings,
  { host, port }: ListenAddress,
): string | undefined {
  if (admin === 'off') return undefined
  if (admin === 'network' && publicUrl !== undefined) return publicUrl
  // Without TLS on loopback, where no certificate has to be trusted.
  if (tls !== 'off' && localHttp) return localOrigin({ host, port })
  return `${tls === 'off' ? 'http' : 'https'}://${openable(host)}:${port}`
}

/** Returns the address at which programs of this machine are served without TLS, beside TLS. */
export function localOrigin({ host, port }: ListenAddress): string {
  return `http://${isLoopback(openable(host)) ? openable(host) : '127.0.0.1'}:${port}`
}

/** Returns the command that forwards a server's address on the machine `name` to one's own machine. */
export function sshForward(name: string, { host, port }: ListenAddress): string {
  return `ssh -L ${port}:${openable(host)}:${port} ${name}`
}

/** Returns a host that a client can open: a loopback address in place of a wildcard. */
export function openable(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '[::1]', '[::]': '[::1]', '::1': '[::1]' }[host] ?? host
}

/**
 * Returns a line with the reason why the server cannot listen, from the runtime's error, and the remedy. `flag` chooses
 * the port.
 */
export function listenProblem(error: unknown, { host, port }: ListenAddress, flag = '--port'): string {
  return `cannot listen on ${host} port ${port}: ${causeAndRemedy(error, { host, port }, flag)}`
}

/** Programs that usually have the port that a flag chooses */
const usualOwners: Readonly<Record<string, string>> = {
  '--ollama-port': 'Ollama',
  '--http-port': 'another web server',
}

function causeAndRemedy(error: unknown, { host, port }: ListenAddress, flag: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  // For a name that does not resolve the runtime reports an unrelated errno. A free port that it picks is not in use.
  const isName = isIP(host) === 0
  if (code === 'EADDRINUSE' && !(isName && port === 0)) {
    if (isName && host !== 'localhost')
      return `the port is in use, or this machine has no such address; choose another with ${flag} or --host`
    const advice = `choose another with ${flag}, 0 picks a free one`
    const usual = usualOwners[flag]
    return usual === undefined
      ? `the port is in use; ${advice}`
      : `the port is in use, perhaps by ${usual}; stop that, or ${advice}`
  }
  if (code === 'EACCES' && port > 0 && port < 1024) {
    return `ports below 1024 are for root and who has CAP_NET_BIND_SERVICE; choose another with ${flag}`
  }
  const isNoAddress = isName || code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
  if (isNoAddress) return 'this machine has no such address; choose another with --host'
  const reason = errorText(error)
  return `${reason}; choose another with --host or ${flag}`
}
