/** The address that a server listens on: who reaches it, which links lead to it, and why listening on it failed. */
import { isIP } from 'node:net'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** From where the operator's pages can be used: this machine, every machine, none. */
export type AdminReach = 'loopback' | 'network' | 'off'

/** Where a link to the operator's pages leads, without path; undefined where they are off. */
export function adminBase(
  { admin, publicUrl }: { readonly admin: AdminReach; readonly publicUrl?: string | undefined },
  { host, port }: ListenAddress,
): string | undefined {
  if (admin === 'off') return undefined
  if (admin === 'network' && publicUrl !== undefined) return publicUrl
  return `http://${openable(host)}:${port}`
}

/** The command that makes a server on the machine `name`, which listens on an address there, one of one's own machine. */
export function sshForward(name: string, { host, port }: ListenAddress): string {
  return `ssh -L ${port}:${openable(host)}:${port} ${name}`
}

/** All addresses at once are no address to open. */
function openable(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '[::1]', '[::]': '[::1]', '::1': '[::1]' }[host] ?? host
}

/** Why the server cannot listen and what to do about it, on one line, from what the runtime threw. `flag` chooses the port. */
export function listenProblem(error: unknown, { host, port }: ListenAddress, flag = '--port'): string {
  return `cannot listen on ${host} port ${port}: ${causeAndRemedy(error, { host, port }, flag)}`
}

function causeAndRemedy(error: unknown, { host, port }: ListenAddress, flag: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  // For a name that does not resolve the runtime reports an unrelated errno. A free port that it picks is not in use.
  const isName = isIP(host) === 0
  if (code === 'EADDRINUSE' && !(isName && port === 0)) {
    if (isName && host !== 'localhost')
      return `the port is in use, or this machine has no such address; choose another with ${flag} or --host`
    const advice = `choose another with ${flag}, 0 picks a free one`
    if (flag === '--port') return `the port is in use; ${advice}`
    return `the port is in use, perhaps by Ollama; stop that, or ${advice}`
  }
  if (code === 'EACCES' && port > 0 && port < 1024) {
    return `ports below 1024 are for root and who has CAP_NET_BIND_SERVICE; choose another with ${flag}`
  }
  const isNoAddress = isName || code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
  if (isNoAddress) return 'this machine has no such address; choose another with --host'
  const reason = error instanceof Error ? error.message : String(error)
  return `${reason}; choose another with --host or ${flag}`
}
