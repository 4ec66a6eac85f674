import { ApiError } from '../core/errors.ts'
import type { BodyIntake } from './bodies/body-intake.ts'
import { clientAddressReader } from './client-address.ts'
import { errorResponse, notFound } from './errors.ts'
import { OpenRequests } from './open-requests.ts'
import { RequestRecord } from './request-record.ts'
import type { Exchange, HttpServices } from './services.ts'

/** Longest time a browser may remember the answer to a preflight. */
const preflightMaxAgeSeconds = '86400'

/** Granted to who asks for nothing by name. */
const commonHeaders = [
  ...['authorization', 'content-type', 'x-api-key', 'anthropic-version', 'anthropic-beta'],
  'anthropic-dangerous-direct-browser-access',
].join(', ')

const corsHeaders = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }

export interface EdgeOptions {
  readonly services: HttpServices
  readonly intake: BodyIntake
  /** Answers a GET or POST; renders its own errors. Given the exchange that goes with the request. */
  readonly route: (exchange: Exchange) => Promise<Response>
  /** Methods that a path has. */
  readonly allowedMethods: (pathname: string) => string[]
  /** Address of this server without path, for who names none. */
  readonly ownAddress: () => string
  /** Address at the other end of the connection. */
  readonly peerAddress: (request: Request) => string | undefined
  /** Sets how long the connection of a request may stay silent; 0 is for ever. */
  readonly setIdleTimeout: (request: Request, seconds: number) => void
}

export interface Edge {
  /** Never rejects. */
  handle(request: Request): Promise<Response>
  /** Answers that there is nothing at this path, whatever its address leads to. */
  refuse(request: Request): Promise<Response>
  /** Resolves once every request that has come has ended: its stream written or given up, its charge made. */
  drained(): Promise<void>
}

/**
 * What every request gets, whatever it asks for: a request id, CORS, HEAD for each GET, OPTIONS, and a log line at its
 * end.
 */
export function createEdge(options: EdgeOptions): Edge {
  const { services, intake, route, allowedMethods, ownAddress, peerAddress, setIdleTimeout } = options
  const clientAddressOf = clientAddressReader(services.config.trustedProxies)
  const open = new OpenRequests()
  return {
    handle: (request) => handle(request),
    refuse: (request) => handle(request, true),
    drained: () => open.drained(),
  }

  async function handle(request: Request, isRefused = false): Promise<Response> {
    open.begin()
    const url = addressOf(request, ownAddress())
    const record = new RequestRecord({
      requestId: services.newId('req_'),
      method: request.method,
      path: url?.pathname ?? '',
      clock: services.clock,
      log: (line) => {
        // Whoever vanishes after the answer would otherwise keep the connection for ever.
        setIdleTimeout(request, services.config.idleTimeoutSeconds)
        services.log(line)
        open.end()
      },
    })
    const response = isRefused ? nowhere(record) : await answer(request, url, record)
    if (isMuchUnread(request)) response.headers.set('connection', 'close')
    finish(response, record)
    return request.method === 'HEAD' ? withoutBody(response) : response
  }

  function nowhere(record: RequestRecord): Response {
    const error = notFound('this path')
    record.failed(error)
    return errorResponse(error, { requestId: record.requestId, pathname: record.path, baseUrl: ownAddress() })
  }

  async function answer(request: Request, url: URL | null, record: RequestRecord): Promise<Response> {
    if (url === null) {
      const pathname = /^\w+:\/\/[^/]*([^?#]*)/.exec(request.url)?.[1] ?? ''
      return errorResponse(invalidHost, { requestId: record.requestId, pathname, baseUrl: ownAddress() })
    }
    if (request.method === 'OPTIONS') return preflight(request, url.pathname, allowedMethods(url.pathname))
    const addressed = URL.canParse(request.url) ? request : new Request(url.href, request)
    return route({
      request: request.method === 'HEAD' ? new Request(addressed, { method: 'GET' }) : addressed,
      url,
      record,
      services,
      intake,
      clientAddress: clientAddressOf(peerAddress(request), request.headers.get('x-forwarded-for')),
      baseUrl: services.config.publicUrl ?? url.origin,
      limitSilence: (isLimited) => setIdleTimeout(request, isLimited ? services.config.idleTimeoutSeconds : 0),
    })
  }
}

/** The runtime reads and drops what nobody has read, to reach the next request: closing costs less than that. */
const droppedBytes = 1024 * 1024

function isMuchUnread(request: Request): boolean {
  if (request.body === null || request.bodyUsed) return false
  return !(Number(request.headers.get('content-length') ?? Number.NaN) <= droppedBytes)
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

function preflight(request: Request, pathname: string, allowed: readonly string[]): Response {
  const methods = allowed.length === 0 ? 'GET, HEAD, POST, OPTIONS' : allowed.join(', ')
  if (isForOwnPages(pathname)) return new Response(null, { status: 204, headers: { allow: methods } })
  return new Response(null, {
    status: 204,
    headers: {
      allow: methods,
      'access-control-allow-methods': methods,
      // Client libraries add their own headers (x-stainless-…): whatever is asked for is granted.
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? commonHeaders,
      'access-control-max-age': preflightMaxAgeSeconds,
    },
  })
}

function finish(response: Response, record: RequestRecord): void {
  if (isForOwnPages(record.path)) response.headers.set('cache-control', 'no-store')
  else {
    for (const [name, value] of Object.entries(corsHeaders)) response.headers.set(name, value)
  }
  response.headers.set('x-request-id', record.requestId)
  response.headers.set('request-id', record.requestId)
  record.status = response.status
  if (!record.isStream) record.end()
}

/** Works with cookies, or makes accounts: pages of other sites have no business there. */
function isForOwnPages(pathname: string): boolean {
  return /^\/(dashboard|confirm|sign-in|v1\/signup|openai\/v1\/signup)(\/|$)/.test(pathname)
}

function withoutBody(response: Response): Response {
  return new Response(null, { status: response.status, headers: response.headers })
}
