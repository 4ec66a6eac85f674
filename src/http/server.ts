import { Elysia } from 'elysia'
import { guards } from './access.ts'
import { BodyIntake } from './bodies/body-intake.ts'
import { createEdge, type Edge, type EdgeOptions } from './edge.ts'
import { errorResponse, refuse } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { methodNotAllowed, notFound } from './not-served.ts'
import { ollamaDoor } from './ollama-door.ts'
import { allowedMethods } from './path-rules.ts'
import type { Received, Route, Served } from './route.ts'
import { routes } from './routes.ts'
import type { HttpServices } from './services.ts'
import { inSpokenDialect } from './spoken-dialect.ts'
import { unserved } from './unserved.ts'

/** Routes that a port serves: all of them, or only the paths that programs expect of Ollama */
export type Door = 'all' | 'ollama'

interface ListenOptions {
  readonly hostname: string
  readonly port: number
  /** Defaults to `all`. */
  readonly door?: Door
}

export interface HttpServer {
  /**
   * Begins to accept connections at one more address. Port 0 picks a free one. Throws if the address cannot be used.
   */
  listen(options: ListenOptions): { readonly url: string }
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
  const doors: Readonly<Record<Door, Edge>> = {
    all: edgeOf(servesOllama ? routes : routes.filter(({ access }) => access !== 'ollama')),
    ollama: edgeOf(ollamaDoor(routes), () => listening[0]?.port),
  }
  const listening: Bun.Server<undefined>[] = []

  return {
    listen({ hostname, port, door = 'all' }) {
      const { handle, folders } = doors[door]
      const server: Bun.Server<undefined> = Bun.serve({
        hostname,
        port,
        // Otherwise Bun would let a second server share the port and take half of the requests.
        reusePort: false,
        idleTimeout: services.config.idleTimeoutSeconds,
        // Bodies are limited in `bodies/read-body.ts`: the runtime's refusal would have no body and no request id.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        routes: Object.fromEntries(
          [...folders].flatMap((folder) => {
            const inFolder: typeof handle = (request, server) => handle(request, server, folder)
            return [`/${folder}`, `/${folder}/*`].map((path) => [path, inFolder])
          }),
        ),
        fetch: (request, server) => handle(request, server),
        error: (thrown) => {
          const baseUrl = publicUrl ?? server.url.origin
          return errorResponse(thrown, { requestId: '', dialect: 'chat', baseUrl })
        },
      })
      listening.push(server)
      return { url: server.url.origin }
    },
    async stop({ force }) {
      services.streams.close()
      await Promise.all(listening.toReversed().map((server) => server.stop(force)))
      intake.close()
    },
    async drained() {
      await Promise.all([doors.all.drained(), doors.ollama.drained()])
    },
  }

  function edgeOf(served: readonly Route[], pagesPort?: EdgeOptions['pagesPort']): Edge {
    return createEdge({ services, intake, routes: served, pagesPort, fetch: createRouter(served) })
  }
}

/** Returns the function that finds the route of a request and runs it; errors come out as responses. */
function createRouter(routes: readonly Route[]): (request: Received) => Response | Promise<Response> {
  const exchangeOf = (request: Request) => (request as Received).exchange
  // Elysia's default takes the path to begin at the first slash from character 11 on, which `http://box/` does not
  // have.
  const app = new Elysia({ handler: { standardHostname: false } })
    .onError(({ request, error, code }) => {
      const exchange = exchangeOf(request)
      if (code === 'NOT_FOUND') return unrouted(exchange)
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
  return app.fetch
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
