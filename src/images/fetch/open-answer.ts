import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { unreachable } from './fetch-problem.ts'

interface AnswerOptions {
  /** Addresses to connect to, without another name look-up. The first that answers is used. */
  readonly addresses: readonly string[]
  readonly userAgent: string
  /** Media types to ask for. */
  readonly accept: string
  /** Further trusted certificates in PEM. */
  readonly ca?: string | undefined
  readonly signal: AbortSignal
}

/**
 * Requests an address on a new connection without proxies. Uses the name in the address for the request and the
 * certificate. Resolves with the head of the answer; the caller reads or destroys its body. Throws FetchProblem, and
 * the signal's reason.
 */
export async function openAnswer(
  address: URL,
  { addresses, userAgent, accept, ca, signal }: AnswerOptions,
): Promise<http.IncomingMessage> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const request = (address.protocol === 'https:' ? https : http).request(address, {
    agent: false,
    lookup: (_name, _options, found) => found(null, addresses.map(toLookup)),
    headers: { 'user-agent': userAgent, accept, 'accept-encoding': 'identity' },
    ...(ca !== undefined && { ca }),
  })
  const abort = () => {
    request.destroy()
    reject(signal.reason)
  }
  signal.addEventListener('abort', abort)
  // Kept for the request's whole life, since destroying it emits an error too.
  request.on('error', (error) => reject(unreachable(error)))
  request.on('response', resolve)
  request.end()
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function toLookup(address: string): { readonly address: string; readonly family: number } {
  return { address, family: isIP(address) }
}
