/** Asking other machines over HTTP. Only `pull`, `catalog check` and `share` lead here: nothing else leaves the machine. */
import { rootCertificates } from 'node:tls'
import { addressProblem, redirectProblem } from './addresses.ts'

/** How other machines are reached. */
export interface Network {
  /** Base address of the hub that `hf://` means, without a slash at its end. */
  readonly hub: string
  /** Sent to the hub's own origin alone, never to where it leads. */
  readonly hubToken: string | undefined
  /** Certificates, as PEM, that are trusted beside the usual ones. */
  readonly certificates: string | undefined
  readonly proxyFor: (address: URL) => string | undefined
  /** Plain http to public addresses too. */
  readonly allowsPlainHttp: boolean
}

export interface Question {
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** No answer, or none that can be used. `isTemporary`: asking again later may help. */
export class NetworkError extends Error {
  override name = 'NetworkError'
  readonly isTemporary: boolean

  constructor(message: string, { isTemporary, cause }: { readonly isTemporary: boolean; readonly cause?: unknown }) {
    super(message, { cause })
    this.isTemporary = isTemporary
  }
}

/**
 * Asks one address; redirects are answers like others. The body comes as it is sent, without compression. Throws
 * NetworkError, and the signal's reason.
 */
export async function ask(network: Network, address: URL, question: Question): Promise<Response> {
  const problem = addressProblem(address, network.allowsPlainHttp)
  if (problem !== undefined) throw new NetworkError(`${shownAddress(address)} ${problem}`, { isTemporary: false })
  const { method = 'GET', headers = {}, signal } = question
  const proxy = network.proxyFor(address)
  const token = address.origin === new URL(network.hub).origin ? network.hubToken : undefined
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  try {
    return await fetch(address.href, {
      method,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'inferd', ...authorization, ...headers },
      redirect: 'manual',
      signal,
      ...(proxy === undefined ? {} : { proxy }),
      ...(network.certificates === undefined ? {} : { tls: { ca: [...rootCertificates, network.certificates] } }),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw unreachable(address, proxy, error)
  }
}

/** Where a redirect leads; undefined when the answer is none. Throws NetworkError where it must not be followed. */
export async function redirectTarget(network: Network, from: URL, answer: Response): Promise<URL | undefined> {
  const location = answer.headers.get('location')
  if (answer.status < 300 || answer.status > 399 || location === null) return undefined
  const target = URL.parse(location, from.href)
  const problem = target === null ? 'is no address' : await redirectProblem(from, target, network.allowsPlainHttp)
  if (target !== null && problem === undefined) return target
  const shown = target === null ? location : shownAddress(target)
  throw new NetworkError(`${from.host} leads to ${shown}, which ${problem}`, { isTemporary: false })
}

const maximumRedirects = 10

/** Asks an address, and where it leads: the last answer, and the address that gave it. Throws as `ask` does. */
export async function askThrough(
  network: Network,
  address: URL,
  question: Question,
): Promise<{ readonly answer: Response; readonly address: URL }> {
  let current = address
  for (let count = 0; count <= maximumRedirects; count++) {
    const answer = await ask(network, current, question)
    const target = await redirectTarget(network, current, answer)
    if (target === undefined) return { answer, address: current }
    await answer.body?.cancel()
    current = target
  }
  throw new NetworkError(`${shownAddress(address)} leads on and on`, { isTemporary: false })
}

/** An address as messages show it: without its query, which may hold a signature. */
export function shownAddress({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}

function unreachable(address: URL, proxy: string | undefined, error: unknown): NetworkError {
  const through = proxy === undefined ? '' : ` through the proxy ${URL.parse(proxy)?.host ?? 'that is set'}`
  const words = `${address.host} cannot be reached${through}: ${reasonsOf(error).join(', because of ')}`
  return new NetworkError(words, { isTemporary: true, cause: error })
}

/** An error and its causes, each with its code. */
function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  const code = 'code' in error ? String(error.code) : ''
  const text = error.message.includes(code) ? error.message : `${code} ${error.message}`
  return [text.trim(), ...(error.cause === undefined ? [] : reasonsOf(error.cause))]
}
