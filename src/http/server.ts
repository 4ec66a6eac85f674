import { Elysia } from 'elysia'
import { toApiError } from '../core/errors.ts'
import { allowedMethods, type RoutePattern } from './allowed-methods.ts'
import { BodyIntake } from './bodies/body-intake.ts'
import { dashboard } from './dashboard/dashboard.ts'
import { signInPage } from './dashboard/pages.ts'
import { createEdge } from './edge.ts'
import { type ErrorContext, errorResponse, methodNotAllowed, notFound } from './errors.ts'
import { literalPaths } from './literal-paths.ts'
import { underOwnHost } from './own-host.ts'
import { account } from './routes/account.ts'
import { chatCompletions } from './routes/chat-completions.ts'
import { confirm } from './routes/confirm.ts'
import { errorDocs, modelDocs, welcome } from './routes/docs.ts'
import { embeddings } from './routes/embeddings.ts'
import { health, ready } from './routes/health.ts'
import { messages } from './routes/messages.ts'
import { countMessageTokens } from './routes/messages-count-tokens.ts'
import { listModels, retrieveModel } from './routes/models.ts'
import { rerank } from './routes/rerank.ts'
import { responses } from './routes/responses.ts'
import { countResponseTokens } from './routes/responses-input-tokens.ts'
import { noStoredResponses, refuseWebSocket } from './routes/responses-stateless.ts'
import { signup } from './routes/signup.ts'
import type { Exchange, Handler, HttpServices } from './services.ts'

export interface HttpServer {
  /** Answers one request; never rejects. */
  handle(request: Request): Promise<Response>
  /** Begins to accept connections; port 0 picks a free one. Throws when the address cannot be had. */
  listen(address: { readonly hostname: string; readonly port: number }): { readonly url: string }
  /** Stops accepting and resolves when open connections are over; `force` cuts them off instead. */
  stop(options: { readonly force: boolean }): Promise<void>
  /** Everything that is served. */
  readonly routes: readonly RoutePattern[]
  /** Resolves once every request has ended, also what goes on behind a connection that was cut. */
  drained(): Promise<void>
}

/** The whole HTTP surface. Paths tolerate a trailing slash, GET brings HEAD along, every path answers OPTIONS. */
export function createServer(services: HttpServices): HttpServer {
  // Elysia hands its handlers the Request alone; this is how they find the rest.
  const exchanges = new WeakMap<Request, Exchange>()
  const to = (handler: Handler) => {
    return ({ request }: { request: Request }) => handler(exchangeOf(exchanges, request))
  }

  /** For what works with cookies or makes accounts. */
  const toOwn = (handler: Handler) => to(underOwnHost(handler))

  const methodsAt = (pathname: string): string[] => allowedMethods(app.routes, pathname)

  const api = new Elysia()
    .post('/chat/completions', to(chatCompletions), { parse: 'none' })
    .post('/messages', to(messages), { parse: 'none' })
    .post('/messages/count_tokens', to(countMessageTokens), { parse: 'none' })
    .post('/responses', to(responses), { parse: 'none' })
    .get('/responses', to(refuseWebSocket))
    .post('/responses/input_tokens', to(countResponseTokens), { parse: 'none' })
    .get('/responses/*', to(noStoredResponses))
    .post('/responses/*', to(noStoredResponses), { parse: 'none' })
    .delete('/responses/*', to(noStoredResponses), { parse: 'none' })
    .post('/embeddings', to(embeddings), { parse: 'none' })
    .post('/rerank', to(rerank), { parse: 'none' })
    .post('/signup', toOwn(signup), { parse: 'none' })
    .get('/account', to(account))
    .get('/models', to(listModels))
    .get('/models/*', to(retrieveModel))

  // By default Elysia takes the path to begin at the first slash from character 11 on, which `http://box/` does not have.
  const app = new Elysia({ handler: { standardHostname: false } })
    .onError(({ request, error, code }) => {
      const exchange = exchangeOf(exchanges, request)
      const { record, url } = exchange
      if (code === 'NOT_FOUND') return unrouted(exchange, methodsAt(url.pathname))
      if (request.signal.aborted) return clientGone(exchange)
      record.failed(toApiError(error))
      return errorResponse(error, errorContext(exchange))
    })
    .get('/', to(welcome))
    .get('/openai', to(welcome))
    .get('/health', to(health))
    .get('/ready', to(ready))
    .get('/confirm', toOwn(confirm))
    .get('/sign-in', toOwn(signInPage))
    .group('/dashboard', (group) => group.use(dashboard(toOwn)))
    .get('/docs/errors', to(errorDocs))
    .get('/docs/models', to(modelDocs))
    .group('/v1', (group) => group.use(api))
    .group('/openai/v1', (group) => group.use(api))

  let listening: Bun.Server<undefined> | undefined
  const ownAddress = () => services.config.publicUrl ?? listening?.url.origin ?? 'http://localhost'
  const { bodyLimitBytes, bodyTimeoutMs } = services.config
  const intake = new BodyIntake({ limitBytes: bodyLimitBytes, timeoutMs: bodyTimeoutMs })
  const { handle, refuse, drained } = createEdge({
    services,
    intake,
    route: (exchange) => {
      exchanges.set(exchange.request, exchange)
      return app.handle(exchange.request)
    },
    allowedMethods: methodsAt,
    ownAddress,
    peerAddress: (request) => listening?.requestIP(request)?.address,
    setIdleTimeout: (request, seconds) => listening?.timeout(request, seconds),
  })

  return {
    handle,
    routes: app.routes,
    drained,
    listen({ hostname, port }) {
      listening = Bun.serve({
        hostname,
        port,
        // Bun would let a second server share the port and take half of the requests.
        reusePort: false,
        idleTimeout: services.config.idleTimeoutSeconds,
        // The limit is ours to enforce (`bodies/read-bytes.ts`): the runtime's answer would have no body and no request id.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        ...literalPaths({ paths: app.routes.map(({ path }) => path), serve: handle, refuse }),
        error: (thrown) => errorResponse(thrown, { requestId: '', pathname: '', baseUrl: ownAddress() }),
      })
      return { url: listening.url.origin }
    },
    async stop({ force }) {
      await listening?.stop(force)
      intake.close()
    },
  }
}

function exchangeOf(exchanges: WeakMap<Request, Exchange>, request: Request): Exchange {
  const exchange = exchanges.get(request)
  if (exchange === undefined) throw new Error('a request came past the edge: this is a bug')
  return exchange
}

function unrouted(exchange: Exchange, allowed: readonly string[]): Response {
  const { request, url, record } = exchange
  const error = allowed.length === 0 ? notFound(url.pathname) : methodNotAllowed(request.method, allowed)
  record.failed(error)
  return errorResponse(error, errorContext(exchange), allowed.length === 0 ? {} : { allow: allowed.join(', ') })
}

function errorContext({ record, url, baseUrl }: Exchange): ErrorContext {
  return { requestId: record.requestId, pathname: url.pathname, baseUrl }
}

/** Nobody reads this; the status says in the log what happened. */
function clientGone({ record }: Exchange): Response {
  record.isAborted = true
  return new Response(null, { status: 499 })
}
