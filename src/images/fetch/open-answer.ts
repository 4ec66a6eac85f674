import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { unreachable } from './fetch-problem.ts'

export interface AnswerOptions {
  /** Where to connect, whatever the name says now; the first that answers. */
  readonly addresses: readonly string[]
  readonly userAgent: string
  /** Certificates in PEM that are trusted beside the usual ones. */
  readonly ca?: string | undefined
  readonly signal: AbortSignal
}

/**
 * Asks for an address on a connection of its own, past proxies. The name in the address is what the server is asked for, and
 * what its certificate must be made for. Resolves with the head of the answer, whose body the caller reads or destroys. Throws
 * FetchProblem, and the signal's reason.
 */
export async function openAnswer(
  address: URL,
  { addresses, userAgent, ca, signal }: AnswerOptions,
): Promise<http.IncomingMessage> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const request = (address.protocol === 'https:' ? https : http).request(address, {
    agent: false,
    lookup: (_name, _options, found) => found(null, addresses.map(toLookup)),
    headers: { 'user-agent': userAgent, accept: 'image/*', 'accept-encoding': 'identity' },
    ...(ca !== undefined && { ca }),
  })
  const abort = () => {
    request.destroy()
    reject(signal.reason)
  }
  signal.addEventListener('abort', abort)
  // Kept for as long as the request lives: it fails when it is destroyed.
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
