/** Limits the operator's pages and API to clients on this machine, unless `--admin` says otherwise. */
import ipaddr from 'ipaddr.js'
import { ApiError } from '../core/errors.ts'
import { sshForward } from '../core/listen-address.ts'
import type { Exchange } from './exchange.ts'
import type { HttpConfig } from './http-config.ts'
import { notFound } from './not-served.ts'

export type Peer = Pick<Exchange, 'peerAddress'> & {
  readonly request: Pick<Request, 'headers'>
  readonly services: { readonly config: Pick<HttpConfig, 'host'> }
}

/** Headers that proxies add. */
const forwardingHeader = /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/

/**
 * Tells whether a request comes from a program on this machine: over the loopback address, or from the address that
 * the server listens on. False for every request that a proxy forwarded, because clients can forge the proxy's
 * headers.
 */
export function isLocal({ request, peerAddress, services }: Peer): boolean {
  for (const name of request.headers.keys()) if (forwardingHeader.test(name)) return false
  if (peerAddress === undefined || !ipaddr.isValid(peerAddress)) return false
  const peer = ipaddr.process(peerAddress)
  return peer.range() === 'loopback' || peer.toString() === services.config.host
}

/** Throws ApiError 404 if the operator's part is off, and 403 `admin_is_local` if it is for this machine alone. */
export function requireAdminReach(exchange: Exchange<'config'>): void {
  const { admin, host } = exchange.services.config
  if (admin === 'off') throw notFound(exchange.url.pathname)
  if (admin === 'network' || isLocal(exchange)) return
  const { url, port } = exchange
  const forward = sshForward(url.hostname, { host, port })
  throw new ApiError(
    'permission',
    `The operator's pages can be used on this machine alone. From another one: ${forward}, then open ` +
      `http://127.0.0.1:${port}/admin there. Or start inferd with --admin network.`,
    { code: 'admin_is_local' },
  )
}
