import { ApiError } from '../core/errors.ts'
import type { RequestRecord } from '../core/request-record.ts'
import { neverThrowing } from '../telemetry/request-log.ts'
import type { BodyIntake } from './bodies/body-intake.ts'
import { clientAddressReader } from './client-address.ts'
import { refuse } from './errors.ts'
import type { Listener } from './listener.ts'
import { notFound } from './not-served.ts'
import { allowedMethods, firstFolder, foldersOf, pathRulesReader } from './path-rules.ts'
import { RequestObserver } from './request-observer.ts'
import { preflight, type SharingRules, setSecurityHeaders, setSharingHeaders } from './response-headers.ts'
import type { Received, Route, Served } from './route.ts'
import type { HttpServices } from './services.ts'

const secondsPerDay = 86_400

export interface EdgeOptions {
  readonly services: HttpServices
  readonly intake: BodyIntake
  /** Routes that this edge serves */
  readonly routes: readonly Route[]
  /**
   * Port of this server's pages, if this edge serves programs alone. Pages of other sites can then read only answers
   * to requests with a key, whatever the path.
   */
  readonly pagesPort: (() => number | undefined) | undefined
  /** Runs the route of a request; renders its errors. */
  readonly fetch: (request: Received) => Response | Promise<Response>
}

export interface Edge {
  /** First folders of the paths that have routes. */
  readonly folders: ReadonlySet<string>
  /**
   * Answers a request. `folder` is the first folder of the path as sent, if it has routes. The runtime resolves dots
   * in the path before a handler sees it, but a proxy that lets only /v1/ through judges the path as sent: if the two
   * differ, as for `/v1/%2e%2e/dashboard`, the answer is 404.
   */
  handle(request: Request, listener: Listener, folder?: string): Promise<Response>
  /** Resolves once every request has ended: its stream written or abandoned, its charge made. */
  drained(): Promise<void>
}

/** Gives every request a request id, CORS and security headers, an answer to OPTIONS, and a log line at its end. */
export function createEdge({ services, intake, routes, pagesPort, fetch }: EdgeOptions): Edge {
  const { config, clock } = services
  const clientAddressOf = clientAddressReader(config.trustedProxies)
  const rulesOf = pathRulesReader(routes)
  const { keylessOrigins } = config
  const folders = foldersOf(routes)
  const open = new Set<Promise<void>>()
  const log = neverThrowing((record: RequestRecord) => {
    services.requests.end(record)
    services.log(record)
  })
  return {
    folders,
    handle,
    async drained() {
      while (open.size > 0) await Promise.all(open)
    },
  }

  async function handle(received: Request, listener: Listener, folder?: string): Promise<Response> {
    const ended = Promise.withResolvers<void>()
    open.add(ended.promise)
    // Default address, for clients that send none.
    const ownAddress = config.publicUrl ?? listener.origin
    const address = addressOf(received, ownAddress)
    const url = address ?? new URL(ownAddress)
    const path = address?.pathname ?? pathOf(received.url)
    const rules = { ...rulesOf(path), keylessOrigins, ...(pagesPort !== undefined && { mayBeKeyless: true }) }
    const arrivedAtMs = clock()
    const observer = new RequestObserver(
      { requestId: services.newId('req_'), method: received.method, path },
      arrivedAtMs,
      clock,
    )
    let outlivesHandler = false
    let kept: AsyncDisposableStack | undefined
    let leave = () => {}
    let addedHeaders: Parameters<Served['answerWith']>[0] = () => []
    const end = async () => {
      leave()
      try {
        if (kept !== undefined) await kept.disposeAsync()
      } finally {
        // A client that vanishes after the answer would otherwise keep the connection for ever.
        listener.limitSilence(received, config.idleTimeoutSeconds)
        log(observer.record({ hasEnded: true }))
        open.delete(ended.promise)
        ended.resolve()
      }
    }
    const peerAddress = listener.peerOf(received)
    const exchange: Served = {
      request: address === null || URL.canParse(received.url) ? received : new Request(url.href, received),
      url,
      observer,
      dialect: rules.dialect,
      services,
      routes,
      intake,
      clientAddress: clientAddressOf(peerAddress, received.headers.get('x-forwarded-for')),
      peerAddress,
      port: listener.port,
      baseUrl: config.publicUrl ?? originAt(url, pagesPort?.()),
      limitSilence: (isLimited) => listener.limitSilence(received, isLimited ? config.idleTimeoutSeconds : 0),
      arrivedAtMs,
      keep: (resource) => {
        kept ??= new AsyncDisposableStack()
        return kept.use(resource)
      },
      onEnd: (call) => {
        leave = call
      },
      answerWith: (headers) => {
        addedHeaders = headers
      },
      outlive: () => {
        outlivesHandler = true
        observer.isStream = true
        return end
      },
    }
    try {
      const early = address === null ? refuse(exchange, invalidHost) : answerEarly(exchange, rules, folder)
      const response = early ?? (await fetch(Object.assign(exchange.request, { exchange })))
      closeOrDrop(received, response.headers)
      setSharingHeaders(exchange.request, response.headers, rules)
      setSecurityHeaders(response.headers, rules)
      if (listener.isEncrypted && config.hstsDays > 0)
        response.headers.set('strict-transport-security', `max-age=${config.hstsDays * secondsPerDay}`)
      // Pages loaded from an earlier version notice the update by this. Guests get no version.
      if (rules.isOwn && observer.accountId !== undefined) response.headers.set('x-inferd-version', config.version)
      for (const [name, value] of addedHeaders()) response.headers.set(name, value)
      for (const name of ['x-request-id', 'request-id']) response.headers.set(name, observer.requestId)
      observer.status = response.status
      return response
    } finally {
      // End before the answer is sent, because the client may use its share of the spool again at once.
      if (!outlivesHandler) await end()
    }
  }

  /** Returns the answer of a request that needs no route; undefined for others. */
  function answerEarly(exchange: Served, rules: SharingRules, folder: string | undefined): Response | undefined {
    const { request, url } = exchange
    const first = firstFolder(url.pathname)
    const isElsewhere = folder !== (folders.has(first) ? first : undefined)
    if (isElsewhere && request.method !== 'CONNECT') return refuse(exchange, notFound('this path'))
    if (request.method === 'OPTIONS') return preflight(request, allowedMethods(routes, url.pathname), rules)
    return undefined
  }
}

/**
 * Largest unread body that the runtime may read and drop to reach the next request. Closing the connection costs less
 * for larger ones.
 */
const droppedBytes = 1024 * 1024
/**
 * Same limit for forms. Clients that send forms in pieces, as Node.js does, miss the answer if the connection closes
 * early.
 */
const droppedFormBytes = 256 * 1024 * 1024

/** Decides whether the connection stays open after an answer to a request whose body was not read. */
function closeOrDrop(request: Request, answered: Headers): void {
  if (request.body === null || request.bodyUsed) return
  const isForm = request.headers.get('content-type')?.startsWith('multipart/form-data') === true
  const bytes = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  if (isForm && bytes <= droppedFormBytes) answered.delete('connection')
  else if (!(bytes <= droppedBytes)) answered.set('connection', 'close')
}

/**
 * Returns the requested address; null if the request names none or two. Old clients and load balancers send a path
 * alone.
 */
function addressOf(request: Request, ownAddress: string): URL | null {
  // CONNECT names a host elsewhere, without a path.
  if (request.method === 'CONNECT') return URL.parse(ownAddress)
  const host = request.headers.get('host') ?? ''
  // The runtime joins two Host headers by a comma, which no name has.
  if (host.includes(',')) return null
  return URL.parse(request.url) ?? (host === '' ? URL.parse(ownAddress + request.url) : null)
}

/** Returns the origin of an address, with another port if given. */
function originAt(url: URL, port: number | undefined): string {
  if (port === undefined) return url.origin
  const other = new URL(url.origin)
  other.port = `${port}`
  return other.origin
}

/** Returns the path of an address that cannot be parsed, of which the runtime leaves out invalid hosts. */
function pathOf(url: string): string {
  return /^(?:\w+:\/\/[^/]*)?([^?#]*)/.exec(url)?.[1] ?? ''
}

const invalidHost = new ApiError('invalid_request', 'The request line and the Host header do not form one address.', {
  code: 'invalid_host',
})
