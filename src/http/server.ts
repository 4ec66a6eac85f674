import { Elysia } from 'elysia'
import type { CertificatePair } from '../tls/certificate-pair.ts'
import { guards } from './access.ts'
import { BodyIntake } from './bodies/body-intake.ts'
import { createEdge, type Edge, type EdgeOptions } from './edge.ts'
import { errorResponse, refuse } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { type EncryptedListener, listenEncrypted, listenPlainly, type OpenListener } from './listener.ts'
import { methodNotAllowed, notFound } from './not-served.ts'
import { ollamaDoor } from './ollama-door.ts'
import { allowedMethods } from './path-rules.ts'
import type { Received, Route, Served } from './route.ts'
import { routes } from './routes.ts'
import type { HttpServices } from './services.ts'
import { inSpokenDialect } from './spoken-dialect.ts'
import { httpsOrigin, isServedInClear, toHttps } from './to-https.ts'
import { unserved } from './unserved.ts'

/**
 * Routes that a port serves: all of them, only the paths that programs expect of Ollama, or a redirect to the encrypted
 * port
 */
export type Door = 'all' | 'ollama' | 'to-https'

/** TLS of a listening address */
export interface ListenTls {
  readonly pair: CertificatePair
  /** True to serve programs of this machine without TLS at the same port. */
  readonly servesLocalPlainly: boolean
}

interface ListenOptions {
  readonly hostname: string
  readonly port: number
  /** Defaults to `all`. */
  readonly door?: Door
  /** Undefined listens without TLS. */
  readonly tls?: ListenTls | undefined
}

export interface HttpServer {
  /**
   * Begins to accept connections at one more address. Port 0 picks a free one. Throws if the address cannot be used.
   */
  listen(options: ListenOptions): { readonly url: string; readonly port: number }
  /** Uses a certificate for new connections wherever this server speaks TLS. */
  useCertificate(pair: CertificatePair): void
  /** Stops accepting connections and resolves when open ones are over. `force` cuts them off instead. */
  stop(options: { readonly force: boolean }): Promise<void>
  /** Resolves once every request has ended, including work after a cut connection. */
  drained(): Promise<void>
}

/**
 * Creates the HTTP server of the route table. Paths tolerate a trailing slash, GET implies HEAD, every path has
 * OPTIONS.
 */
export function createServer(services: HttpServices): HttpServer {
  const { bodyLimitBytes, bodyTimeoutMs, publicUrl, servesOllama } = services.config
  const intake = new BodyIntake({ limitBytes: bodyLimitBytes, timeoutMs: bodyTimeoutMs })
  const allRoutes = servesOllama ? routes : routes.filter(({ access }) => access !== 'ollama')
  const listening: OpenListener[] = []
  const encrypted: EncryptedListener[] = []
  const doors: Readonly<Record<Door, Edge>> = {
    all: edgeOf(allRoutes),
    ollama: edgeOf(ollamaDoor(routes), { pagesPort: () => listening[0]?.port }),
    'to-https': edgeOf(allRoutes, {
      fetch: createRouter(allRoutes.filter(isServedInClear), (exchange) =>
        toHttps(exchange, publicUrl ?? httpsOrigin(exchange.url, encrypted[0]?.port)),
      ),
    }),
  }

  return {
    listen({ hostname, port, door = 'all', tls }) {
      const { handle, folders } = doors[door]
      const parts = {
        ...{ hostname, port, handle, folders, idleTimeoutSeconds: services.config.idleTimeoutSeconds },
        error: (thrown: unknown, origin: string) =>
          errorResponse(thrown, { requestId: '', dialect: 'chat', baseUrl: publicUrl ?? origin }),
      }
      if (tls === undefined) {
        const plain = listenPlainly(parts)
        listening.push(plain)
        return { url: plain.origin, port: plain.port }
      }
      const listener = listenEncrypted({
        ...{ ...parts, ...tls, handleInClear: doors['to-https'].handle },
        portOfProtocol: (protocol) => services.encryption?.portOfProtocol(protocol),
      })
      listening.push(listener)
      encrypted.push(listener)
      return { url: listener.origin, port: listener.port }
    },
    useCertificate(pair) {
      for (const listener of encrypted) listener.useCertificate(pair)
    },
    async stop({ force }) {
      services.streams.close()
      await Promise.all(listening.toReversed().map((server) => server.stop(force)))
      intake.close()
    },
    async drained() {
      await Promise.all(Object.values(doors).map((door) => door.drained()))
    },
  }

  function edgeOf(
    served: readonly Route[],
    { pagesPort, fetch = createRouter(served) }: Partial<Pick<EdgeOptions, 'pagesPort' | 'fetch'>> = {},
  ): Edge {
    return createEdge({ services, intake, routes: served, pagesPort, fetch })
  }
}

/**
 * Returns the function that finds the route of a request and runs it; errors come out as responses. `otherwise` answers
 * requests without a route.
 */
function createRouter(
  routes: readonly Route[],
  otherwise: (exchange: Served) => Response = unrouted,
): (request: Received) => Response | Promise<Response> {
  const exchangeOf = (request: Request) => (request as Received).exchange
  // Elysia's default takes the path to begin at the first slash from character 11 on, which `http://box/` does not
  // have.
  const app = new Elysia({ handler: { standardHostname: false } })
    .onError(({ request, error, code }) => {
      const exchange = exchangeOf(request)
      if (code === 'NOT_FOUND') return otherwise(exchange)
      return request.signal.aborted ? clientGone(exchange) : refuse(exchange, error)
    })
    .macro({
      guarded: (route: Route) => ({
        // The caller has the type that this route's handler takes.
        resolve: ({ request }) => ({ caller: guards[route.access](exchangeOf(request), route) as never }),
      }),
    })
  for (const route of routes) {
    app.route(route.method, route.path, ({ request, caller }) => route.handle(exchangeOf(request), caller), {
      config: {},
      guarded: route,
      // Handlers read bodies themselves, within bounds and in turns.
      parse: 'none',
    })
  }
  return (request) => app.fetch(withShortScheme(request))
}

/**
 * Returns what Elysia reads of a request. It takes the path to begin at the first slash from character 7 on, which for
 * an https address is one of the scheme's own.
 */
function withShortScheme(request: Received): Request {
  const { url, method, headers, signal, exchange } = request
  if (!url.startsWith('https:')) return request
  return { url: url.replace('https:', 'http:'), method, headers, signal, exchange } as unknown as Request // Elysia reads no more
}

function unrouted(exchange: Served): Response {
  const { pathname } = exchange.url
  const allowed = allowedMethods(exchange.routes, pathname)
  if (allowed.length === 0) return refuse(inSpokenDialect(exchange), unserved(pathname) ?? notFound(pathname))
  return refuse(exchange, methodNotAllowed(exchange.request.method, allowed), { allow: allowed.join(', ') })
}

/** Returns an answer that no client reads; its status records in the log what happened. */
function clientGone({ observer }: Exchange): Response {
  observer.isAborted = true
  return new Response(null, { status: 499 })
}
