import { lookup } from 'node:dns/promises'
import { rootCertificates } from 'node:tls'
import { type AddressRules, addressProblem, isPrivateHost } from './address-rules.ts'
import { Answer } from './answer.ts'
import { networkError, proxyFor } from './network-error.ts'
import { Patience, type PatienceOptions } from './patience.ts'
import { StallGuard } from './stall-guard.ts'
import { shownAddress, WebError } from './web-error.ts'

export interface WebOptions extends AddressRules {
  /** Tokens by origin. A redirect to another origin does not get them. */
  readonly credentials?: readonly { readonly origin: string; readonly token: string }[]
  /** Certificates in PEM that are trusted beside the usual ones. */
  readonly ca?: string | undefined
  /**
   * Redirects to the origin `from` are sent to the same path below `to`: mirrors often pass on the hub's own addresses.
   */
  readonly mirror?: { readonly from: string; readonly to: string } | undefined
  /** Environment in which Bun finds the proxies, used in messages. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Time without data after which a connection is dropped, in milliseconds. */
  readonly stallMs?: number | undefined
  /** Overrides the retries of `ask`. */
  readonly questions?: Omit<PatienceOptions, 'signal'> | undefined
}

interface WebRequest {
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Address that redirected to this one. */
  readonly redirectedFrom?: URL | undefined
}

const redirectLimit = 5
const stallDefaultMs = 30_000

/** Retries of `ask`. The pauses are short, since a person waits for the answer. */
const usualQuestions = { attempts: 5, pauseMs: (failures: number) => 200 * 2 ** (failures - 1) }

/** Sends requests to other servers under the rules for addresses, tokens and timeouts. Repeats only reads. */
export class WebClient {
  readonly #options: WebOptions

  constructor(options: WebOptions) {
    this.#options = options
  }

  /**
   * Runs read-only work of one or more requests, and retries it on lost connections, busy servers and answers that are
   * cut short. Throws the last error, and the signal's reason.
   */
  ask<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return new Patience({ ...usualQuestions, ...this.#options.questions, signal }).persist(work)
  }

  /**
   * Sends one request and does not follow redirects. Throws WebError if there is no answer, and the signal's reason.
   */
  async send(address: URL, request: WebRequest = {}): Promise<Answer> {
    const { credentials = [], ca, environment, stallMs = stallDefaultMs } = this.#options
    const { method = 'GET', signal, redirectedFrom } = request
    await this.#requireAllowed(address, redirectedFrom)
    signal?.throwIfAborted()
    const controller = new AbortController()
    const onAbort = () => controller.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const guard = new StallGuard(address.host, stallMs, (reason) => controller.abort(reason))
    const close = () => {
      guard.end()
      signal?.removeEventListener('abort', onAbort)
      controller.abort()
    }
    const proxy = proxyFor(address, environment)
    const toError = (error: unknown) =>
      controller.signal.aborted ? controller.signal.reason : networkError(error, address, proxy)
    const headers = new Headers({ 'accept-encoding': 'identity', 'user-agent': 'inferd', ...request.headers })
    const own = credentials.find(({ origin }) => origin === address.origin)
    if (own !== undefined) headers.set('authorization', `Bearer ${own.token}`)
    const options: BunFetchRequestInit = { method, headers, redirect: 'manual', signal: controller.signal }
    if (ca !== undefined) options.tls = { ca: [...rootCertificates, ca] }
    try {
      // Our own time limits hold instead of Bun's.
      const response = await guard.wait(fetch(address, { ...options, timeout: false }), () => 0)
      return new Answer(address, response, { guard, close, toError })
    } catch (error) {
      const reason = toError(error)
      close()
      throw reason
    }
  }

  /** Returns the target of a redirect, with the hub's origin replaced by the mirror; undefined for other answers. */
  redirectOf(answer: Answer): URL | undefined {
    if (answer.status < 300 || answer.status > 399 || answer.status === 304) return undefined
    const location = answer.headers.get('location') ?? ''
    const target = location === '' ? null : URL.parse(location, answer.address.href)
    if (target === null) {
      throw new WebError('final', `${shownAddress(answer.address)} redirects to nowhere (${answer.status})`)
    }
    const { mirror } = this.#options
    return mirror?.from === target.origin ? below(mirror.to, target) : target
  }

  /** Sends a request and follows redirects. Throws WebError if the final status is no success. */
  async get(address: URL, request: WebRequest = {}): Promise<Answer> {
    let next = { address, redirectedFrom: request.redirectedFrom }
    for (let hop = 0; hop <= redirectLimit; hop++) {
      const answer = await this.send(next.address, { ...request, redirectedFrom: next.redirectedFrom })
      const target = this.redirectOf(answer)
      if (target === undefined) {
        answer.requireSuccess()
        return answer
      }
      answer.close()
      next = { address: target, redirectedFrom: answer.address }
    }
    throw tooManyRedirects(address)
  }

  async #requireAllowed(address: URL, redirectedFrom: URL | undefined): Promise<void> {
    const from = redirectedFrom && { url: redirectedFrom, isPrivate: await this.#isPrivate(redirectedFrom) }
    const problem = addressProblem(address, this.#options, { isPrivate: await this.#isPrivate(address), from })
    if (problem !== undefined) throw new WebError('final', `${shownAddress(address)} ${problem}`)
  }

  /**
   * Returns whether a host is private. Behind a proxy only the address counts, since the proxy looks up names itself.
   */
  async #isPrivate(address: URL): Promise<boolean> {
    const isProxied = proxyFor(address, this.#options.environment) !== undefined
    return isPrivateHost(address, isProxied ? [] : await addressesOf(address))
  }
}

/** Returns the path and query of an address below another one, which does not end with a slash. */
export function below(base: string, { pathname, search }: URL): URL {
  // Joined as text: as a relative address, a path that begins with `//` names another host.
  return new URL(base + pathname + search)
}

export function tooManyRedirects(address: URL): WebError {
  return new WebError('final', `${shownAddress(address)} redirects more than ${redirectLimit} times`)
}

function addressesOf(address: URL): Promise<string[]> {
  if (address.hostname === '') return Promise.resolve([])
  return lookup(address.hostname, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [], // the request itself will say why
  )
}
