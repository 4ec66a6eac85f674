/** Listening sockets as the edge sees them: plain ones, and those that speak TLS. */

import type { CertificatePair } from '../tls/certificate-pair.ts'
import { startRelay } from '../tls/relay.ts'

export interface Listener {
  /** Scheme, address and port. */
  readonly origin: string
  readonly port: number
  readonly isEncrypted: boolean
  /** Returns the address of the connection's other end; undefined if it is not known. */
  peerOf(request: Request): string | undefined
  /** Sets the silence after which the request's connection is closed, 0 for never. */
  limitSilence(request: Request, seconds: number): void
}

/** Listening socket that can end. */
export interface OpenListener extends Pick<Listener, 'origin' | 'port'> {
  /** Stops accepting and resolves when open connections are over. `force` cuts them off instead. */
  stop(force: boolean): Promise<void>
}

type Handle = (request: Request, listener: Listener, folder?: string) => Promise<Response>

export interface ListenerParts {
  readonly hostname: string
  readonly port: number
  readonly idleTimeoutSeconds: number
  /** First folders of paths whose handler must know the path as sent. */
  readonly folders: ReadonlySet<string>
  readonly handle: Handle
  readonly error: (thrown: unknown, origin: string) => Response
}

/** Begins to listen without TLS. Throws if the address cannot be used. */
export function listenPlainly(parts: ListenerParts): OpenListener {
  const server = serve(parts, (own) => ({
    origin: own.url.origin,
    port: Number(own.url.port || 80),
    isEncrypted: false,
    peerOf: (request) => own.requestIP(request)?.address,
    limitSilence: (request, seconds) => own.timeout(request, seconds),
  }))
  return {
    origin: server.url.origin,
    port: Number(server.url.port || 80),
    stop: (force) => server.stop(force),
  }
}

interface EncryptedParts extends ListenerParts {
  readonly pair: CertificatePair
  /** True to serve programs of this machine without TLS too. */
  readonly servesLocalPlainly: boolean
  /** Answers requests of other machines that came without TLS. */
  readonly handleInClear: Handle
  /** Port of 127.0.0.1 that answers connections for an ALPN protocol. Undefined if none does. */
  readonly portOfProtocol: (protocol: string) => number | undefined
}

export interface EncryptedListener extends OpenListener {
  /** Uses another certificate for new connections. Open ones keep theirs until they end. */
  useCertificate(pair: CertificatePair): void
}

/** TLS 1.2 only with forward secrecy and authenticated encryption. TLS 1.3 has its own list, 1.1 is not spoken. */
const ciphers = ['ECDSA', 'RSA']
  .flatMap((key) =>
    ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map((rest) => `ECDHE-${key}-${rest}`),
  )
  .join(':')

const loopback = '127.0.0.1'
const isLoopbackPeer = (address: string) => /^(::ffff:)?127\./.test(address) || address === '::1'

/**
 * Begins to listen with TLS. Connections without TLS are served as well: fully to programs of this machine, if wanted,
 * and with a hint to others. Throws if the address or the certificate cannot be used.
 */
export function listenEncrypted(parts: EncryptedParts): EncryptedListener {
  const { hostname, servesLocalPlainly, portOfProtocol } = parts
  let secure = startSecure(parts.pair)
  const inClear = behind('http', false, parts.handleInClear)
  const local = servesLocalPlainly ? behind('http', false, parts.handle) : inClear
  const old = new Set<SecureServer>()
  const stopServers = async (force: boolean) => {
    await Promise.all(
      [secure.server, inClear, local, ...[...old].map(({ server }) => server)].map((one) => one.stop(force)),
    )
  }
  const relay = (() => {
    try {
      return startRelay({
        ...{ hostname, port: parts.port },
        targetOf: (opening, peerAddress) => {
          if (opening.kind === 'plain') return { port: (isLoopbackPeer(peerAddress) ? local : inClear).port ?? 0 }
          const [other] = opening.protocols.flatMap((protocol) => portOfProtocol(protocol) ?? [])
          return other === undefined ? secure.target : { port: other }
        },
      })
    } catch (error) {
      void stopServers(true)
      throw error
    }
  })()
  const { port } = relay
  return {
    origin: originOf('https'),
    port,
    useCertificate(pair) {
      const before = secure
      secure = startSecure(pair)
      old.add(before)
      retire(before)
    },
    async stop(force) {
      relay.stop()
      await stopServers(force)
    },
  }

  function originOf(scheme: string): string {
    const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
    return new URL(`${scheme}://${host}:${relay.port}`).origin
  }

  /** Serves the relay on a free port of loopback. Requests of anybody else there have no known address. */
  function behind(scheme: string, isEncrypted: boolean, handle: Handle, tls?: Bun.TLSOptions): Bun.Server<undefined> {
    return serve(
      { ...parts, hostname: loopback, port: 0, handle },
      (own) => ({
        get origin() {
          return originOf(scheme)
        },
        get port() {
          return relay.port
        },
        isEncrypted,
        peerOf: (request) => relay.peerOf(own.port ?? 0, own.requestIP(request)?.port ?? 0),
        limitSilence: (request, seconds) => own.timeout(request, seconds),
      }),
      tls,
    )
  }

  function startSecure({ certificate: cert, key }: CertificatePair): SecureServer {
    const server = behind('https', true, parts.handle, { cert, key, ciphers } as Bun.TLSOptions)
    const started: SecureServer = {
      server,
      connections: 0,
      target: {
        port: server.port ?? 0,
        onChange: (change) => {
          started.connections += change
          if (started !== secure) retire(started)
        },
      },
    }
    return started
  }

  /** Ends a server whose certificate was replaced, once it has no connection. */
  function retire(before: SecureServer): void {
    if (before.connections > 0) return
    old.delete(before)
    void before.server.stop(true)
  }
}

interface SecureServer {
  readonly server: Bun.Server<undefined>
  connections: number
  readonly target: { readonly port: number; readonly onChange: (change: 1 | -1) => void }
}

function serve(
  { hostname, port, idleTimeoutSeconds, folders, handle, error }: ListenerParts,
  listenerOf: (server: Bun.Server<undefined>) => Listener,
  tls?: Bun.TLSOptions,
): Bun.Server<undefined> {
  let listener: Listener | undefined
  const answer = (request: Request, own: Bun.Server<undefined>, folder?: string) => {
    listener ??= listenerOf(own)
    return handle(request, listener, folder)
  }
  return Bun.serve({
    hostname,
    port,
    // Otherwise Bun would let a second server share the port and take half of the requests.
    reusePort: false,
    idleTimeout: idleTimeoutSeconds,
    // Bodies are limited in `bodies/read-body.ts`: the runtime's refusal would have no body and no request id.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    ...(tls !== undefined && { tls }),
    routes: Object.fromEntries(
      [...folders].flatMap((folder) =>
        [`/${folder}`, `/${folder}/*`].map((path) => [
          path,
          (request: Request, own: Bun.Server<undefined>) => answer(request, own, folder),
        ]),
      ),
    ),
    fetch: (request, own) => answer(request, own),
    error: (thrown) => error(thrown, listener?.origin ?? `http://${hostname}`),
  })
}
