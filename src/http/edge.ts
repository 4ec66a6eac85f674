import { ApiError } from '../core/errors.ts'
import { neverThrowing } from '../telemetry/request-log.ts'
import type { BodyIntake } from './bodies/body-intake.ts'
import { clientAddressReader } from './client-address.ts'
import { notFound, refuse } from './errors.ts'
import { OpenRequests } from './open-requests.ts'
import { allowedMethods, firstFolder, foldersOf, type PathRules, pathRulesReader } from './path-rules.ts'
import { RequestRecord } from './request-record.ts'
import type { Route } from './route.ts'
import type { Exchange, HttpServices } from './services.ts'

/** Longest time a browser may remember the answer to a preflight. */
const preflightMaxAgeSeconds = '86400'

/** Granted where the preflight names no headers. */
const commonHeaders = [
  ...['authorization', 'content-type', 'x-api-key', 'anthropic-version', 'anthropic-beta'],
  'anthropic-dangerous-direct-browser-access',
].join(', ')

const corsHeaders = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', '*'],
] as const
const ownHeaders = [['cache-control', 'no-store']] as const

export interface EdgeOptions {
  readonly services: HttpServices
  readonly intake: BodyIntake
  readonly routes: readonly Route[]
  /** Runs the route of a request; renders its own errors. Given the exchange that goes with the request. */
  readonly route: (exchange: Exchange) => Response | Promise<Response>
  /** Address of this server without path, for clients that name none. */
  readonly ownAddress: () => string
  /** Address at the other end of the connection. */
  readonly peerAddress: (request: Request) => string | undefined
  /** Sets how long the connection of a request may stay silent; 0 is for ever. */
  readonly setIdleTimeout: (request: Request, seconds: number) => void
}

export interface Edge {
  /**
   * Answers a request; never rejects. `folder` is the first one of the path as it was sent, where that has routes. The
   * runtime resolves dots before a handler sees the address, and a proxy that lets only /v1/ through means what is sent:
   * where the address leads elsewhere, like that of `/v1/%2e%2e/dashboard`, the answer is 404.
   */
  handle(request: Request, folder?: string): Promise<Response>
  /** Resolves once every request has ended: its stream written or given up, its charge made. */
  drained(): Promise<void>
}

/** What every request gets, whatever it asks for: a request id, CORS, OPTIONS, and a log line at its end. */
export function createEdge(options: EdgeOptions): Edge {
  const { services, intake, routes, route, ownAddress, peerAddress, setIdleTimeout } = options
  const clientAddressOf = clientAddressReader(services.config.trustedProxies)
  const rulesOf = pathRulesReader(routes)
  const folders = foldersOf(routes)
  const open = new OpenRequests()
  const log = neverThrowing(services.log)
  return { handle, drained: () => open.drained() }

  async function handle(request: Request, folder?: string): Promise<Response> {
    open.begin()
    const address = addressOf(request, ownAddress())
    const url = address ?? new URL(ownAddress())
    const rules = rulesOf(address?.pathname ?? pathOf(request.url))
    const arrivedAtMs = services.clock()
    const record = new RequestRecord({
      requestId: services.newId('req_'),
      method: request.method,
      path: address?.pathname ?? '',
      arrivedAtMs,
      clock: services.clock,
    })
    const end = () => {
      // A client that vanishes after the answer would otherwise keep the connection for ever.
      setIdleTimeout(request, services.config.idleTimeoutSeconds)
      log(record.line())
      open.end()
    }
    const exchange: Exchange = {
      request: address === null || URL.canParse(request.url) ? request : new Request(url.href, request),
      url,
      record,
      dialect: rules.dialect,
      services,
      intake,
      clientAddress: clientAddressOf(peerAddress(request), request.headers.get('x-forwarded-for')),
      baseUrl: services.config.publicUrl ?? url.origin,
      limitSilence: (isLimited) => setIdleTimeout(request, isLimited ? services.config.idleTimeoutSeconds : 0),
      arrivedAtMs,
      outlive: () => {
        record.isStream = true
        return end
      },
    }
    try {
      const response = await respond(exchange, rules, address !== null, folder)
      if (isMuchUnread(request)) response.headers.set('connection', 'close')
      for (const [name, value] of rules.isOwn ? ownHeaders : corsHeaders) response.headers.set(name, value)
      for (const name of ['x-request-id', 'request-id']) response.headers.set(name, record.requestId)
      record.status = response.status
      return response
    } finally {
      if (!record.isStream) end()
    }
  }

  async function respond(
    exchange: Exchange,
    rules: PathRules,
    hasAddress: boolean,
    folder?: string,
  ): Promise<Response> {
    const { request, url } = exchange
    if (!hasAddress) return refuse(exchange, invalidHost)
    if (request.method !== 'CONNECT' && isElsewhere(url.pathname, folder))
      return refuse(exchange, notFound('this path'))
    if (request.method === 'OPTIONS') return preflight(request, allowedMethods(routes, url.pathname), rules)
    return route(exchange)
  }

  function isElsewhere(pathname: string, folder: string | undefined): boolean {
    const first = firstFolder(pathname)
    return folder !== (folders.has(first) ? first : undefined)
  }
}

/** The runtime reads and drops what nobody has read, to reach the next request: closing costs less than that. */
const droppedBytes = 1024 * 1024

function isMuchUnread(request: Request): boolean {
  if (request.body === null || request.bodyUsed) return false
  return !(Number(request.headers.get('content-length') ?? Number.NaN) <= droppedBytes)
}

/** The path of an address that cannot be parsed. */
function pathOf(url: string): string {
  return /^\w+:\/\/[^/]*([^?#]*)/.exec(url)?.[1] ?? ''
}

/** The address asked for, null when there is none or two. Old clients and load balancers give a path alone. */
function addressOf(request: Request, ownAddress: string): URL | null {
  // What CONNECT names is a host elsewhere, without any path.
  if (request.method === 'CONNECT') return URL.parse(ownAddress)
  const host = request.headers.get('host') ?? ''
  // The runtime joins two Host headers by a comma, which no name has.
  if (host.includes(',')) return null
  return URL.parse(request.url) ?? (host === '' ? URL.parse(ownAddress + request.url) : null)
}

const invalidHost = new ApiError('invalid_request', 'The request line and the Host header do not form one address.', {
  code: 'invalid_host',
})

function preflight(request: Request, allowed: readonly string[], { isOwn }: PathRules): Response {
  const methods = allowed.length === 0 ? 'GET, HEAD, POST, OPTIONS' : allowed.join(', ')
  if (isOwn) return new Response(null, { status: 204, headers: { allow: methods } })
  return new Response(null, {
    status: 204,
    headers: {
      allow: methods,
      'access-control-allow-methods': methods,
      // Client libraries add headers of their own (x-stainless-…): whatever is asked for is granted.
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? commonHeaders,
      'access-control-max-age': preflightMaxAgeSeconds,
    },
  })
}
