import type { IncomingMessage } from 'node:http'
import { readRetryAfterMs } from '../../../core/retry-after.ts'
import { Exchange, type ExchangeOptions } from './exchange.ts'
import { UpstreamFailure } from './failure.ts'
import type { UpstreamRequest } from './request.ts'
import { requestBody } from './request-body.ts'

/**
 * Time within which a failure on a reused connection means that the server had closed it, rather than failed at work.
 */
const staleMs = 1_000
/** Least length of a key to hide. A shorter one is no secret, and may be part of other words. */
const shortestKey = 8
const retryAfterLimitMs = 3_600_000

/** An answer with status 2xx. Its exchange must be closed in every case. */
export interface OpenAnswer {
  readonly headers: Headers
  readonly exchange: Exchange
}

/** Sends a request and waits for the head of its answer. Throws UpstreamFailure and the signal's reason. */
export async function openAnswer(method: 'GET' | 'POST', request: UpstreamRequest): Promise<OpenAnswer> {
  const { url, signal, limits } = request
  signal.throwIfAborted()
  const body = requestBody(request.body)
  // A body that can be read only once cannot be sent again, so it avoids a reused connection, which the server may
  // have closed.
  const isReadOnce = body !== undefined && !(body.content instanceof Uint8Array)
  const headers = headersOf(request, body && { 'content-type': body.type, 'content-length': String(body.bytes) })
  const options = { method, url, headers, body, signal, limits, isAlone: isReadOnce }
  const { exchange, message } = await exchangeHeads(options)
  try {
    const answer = { headers: headersOfAnswer(message), exchange }
    await requireSuccess(message.statusCode ?? 0, answer, request)
    return answer
  } catch (error) {
    exchange.close()
    throw error
  }
}

/** Repeats the request once if the server had closed the reused connection. */
async function exchangeHeads(options: ExchangeOptions): Promise<{ exchange: Exchange; message: IncomingMessage }> {
  const exchange = open(options)
  const beganMs = performance.now()
  try {
    return { exchange, message: await exchange.head() }
  } catch (error) {
    exchange.close()
    const isStale = exchange.isOnKeptConnection && performance.now() - beganMs < staleMs
    if (!isStale || !(error instanceof UpstreamFailure) || error.kind !== 'cut') throw error
    return await exchangeHeads({ ...options, isAlone: true })
  }
}

function open(options: ExchangeOptions): Exchange {
  try {
    return new Exchange(options)
  } catch {
    // Without the cause, which may contain the key.
    throw new UpstreamFailure(
      'connect',
      'the request cannot be sent: its address or its key has characters that HTTP forbids',
    )
  }
}

function headersOf(
  { key, headers }: UpstreamRequest,
  ofBody: Record<string, string> | undefined,
): Record<string, string> {
  return {
    'user-agent': 'inferd',
    ...headers,
    'accept-encoding': 'identity',
    ...ofBody,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
}

function headersOfAnswer(message: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, [value ?? []].flat().join(', '))
  return headers
}

/** Throws for an error status, and for a compressed answer. */
async function requireSuccess(status: number, answer: OpenAnswer, request: UpstreamRequest): Promise<void> {
  const isPlain = (answer.headers.get('content-encoding') ?? 'identity') === 'identity'
  if (status >= 300 && status <= 399) {
    throw new UpstreamFailure('redirect', `the server redirects (${status}), which is not followed`, { status })
  }
  if (status >= 200 && status <= 299) {
    if (isPlain) return
    throw new UpstreamFailure('malformed', 'the server sends its answer compressed, which was not asked for')
  }
  const wishedMs = readRetryAfterMs(answer.headers.get('retry-after'), Date.now())
  throw new UpstreamFailure('status', `the server answers with the status ${status}`, {
    status,
    retryAfterSeconds: wishedMs === undefined ? undefined : Math.ceil(Math.min(wishedMs, retryAfterLimitMs) / 1_000),
    detail: isPlain ? await beginningOf(answer, request) : '',
  })
}

/**
 * Returns the beginning of the body for the log, bounded in size and time, without the key. Throws the signal's
 * reason.
 */
export async function beginningOf({ exchange }: OpenAnswer, { limits, key, signal }: UpstreamRequest): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  exchange.hurry(limits.errorMs)
  try {
    while (bytes < limits.errorBytes) {
      const arrived = await exchange.within(() => exchange.take())
      if (arrived === undefined) break
      for (const piece of arrived) bytes += pieces[pieces.push(piece) - 1]?.length ?? 0
    }
  } catch {
    signal.throwIfAborted()
  }
  return withoutKey(new TextDecoder().decode(Bun.concatArrayBuffers(pieces, limits.errorBytes, true)), key)
}

/** Returns the text without the key, because servers quote keys that they refuse. */
export function withoutKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < shortestKey ? text : text.replaceAll(key, '[key]')
}
