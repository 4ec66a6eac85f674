import { isIP } from 'node:net'

interface Address {
  readonly host: string
  readonly port: number
}

/** Why the server can not listen and what to do about it, on one line, from what the runtime threw. */
export function listenProblem(error: unknown, { host, port }: Address): string {
  return `can not listen on ${host} port ${port}: ${causeAndRemedy(error, { host, port })}`
}

function causeAndRemedy(error: unknown, { host, port }: Address): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return 'the port is in use; choose another with --port, 0 picks a free one'
  if (code === 'EACCES' && port > 0 && port < 1024) {
    return 'ports below 1024 are for root and who has CAP_NET_BIND_SERVICE; choose another with --port'
  }
  // For a name that leads nowhere the runtime shows an errno left over from something else.
  const isNoAddress = isIP(host) === 0 || code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
  if (isNoAddress) return 'this machine has no such address; choose another with --host'
  const reason = error instanceof Error ? error.message : String(error)
  return `${reason}; choose another with --host or --port`
}
