import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Turns } from '../../core/turns.ts'
import { unlessAborted } from '../../core/within.ts'
import { FetchProblem, unreachable } from './fetch-problem.ts'
import { imageAddress, isPublicAddress } from './image-address.ts'
import { openAnswer } from './open-answer.ts'

/** Limits of fetches at once. Each holds a whole file in memory. */
const fetchTurns = { all: 8, ofAccount: 4 }
const redirectLimit = 3
const limitsMs = { head: 5_000, file: 10_000 }

export interface UrlFetcherOptions {
  readonly userAgent: string
  /** Resolver for tests, in place of the system's. */
  readonly addressesOf?: (name: string) => Promise<readonly string[]>
  /** Test whether an address is public, which tests replace. */
  readonly isPublic?: (address: string) => boolean
  /** Further trusted certificates in PEM, for tests. */
  readonly ca?: string
  readonly limitsMs?: typeof limitsMs
}

/** Files that a fetcher fetches. */
interface FetchedKind {
  /** Name in messages, such as `picture`. */
  readonly name: string
  /** Media types to ask for. */
  readonly accept: string
}

export interface UrlRequest {
  /** Address as the client sent it. */
  readonly url: string
  readonly accountId: string
  readonly signal: AbortSignal
}

/** Reads the body of an answer. */
type ReadAnswer<Result> = (answer: IncomingMessage, signal: AbortSignal) => Promise<Result>

/** Fetches files only from servers of the public Internet. */
export class UrlFetcher {
  readonly #kind: FetchedKind
  readonly #options: UrlFetcherOptions
  readonly #turns = new Turns(fetchTurns)

  constructor(kind: FetchedKind, options: UrlFetcherOptions) {
    this.#kind = kind
    this.#options = options
  }

  /**
   * Fetches a file, after other fetches of the account, and returns what `read` makes of it. The next fetch can begin
   * once the result is disposed of. Throws FetchProblem, errors of `read`, and the signal's reason.
   */
  async fetch<Result extends object>(request: UrlRequest, read: ReadAnswer<Result>): Promise<Result & Disposable> {
    const { accountId, signal } = request
    const address = imageAddress(request.url)
    using turns = new DisposableStack()
    turns.use(await this.#turns.take(accountId, 1, signal))
    const result = await this.#download(address, signal, read)
    const turn = turns.move()
    return { ...result, [Symbol.dispose]: () => turn.dispose() }
  }

  async #download<Result>(address: URL, signal: AbortSignal, read: ReadAnswer<Result>): Promise<Result> {
    const { file } = this.#options.limitsMs ?? limitsMs
    const deadline = AbortSignal.timeout(file)
    const either = AbortSignal.any([signal, deadline])
    try {
      return await read(await this.#follow(address, either), either)
    } catch (error) {
      signal.throwIfAborted()
      if (deadline.aborted) throw this.#tooSlow(file)
      throw error
    }
  }

  /** Returns the answer after all redirects. */
  async #follow(address: URL, signal: AbortSignal): Promise<IncomingMessage> {
    let target = address
    for (let hop = 0; hop <= redirectLimit; hop++) {
      const answer = await this.#ask(target, signal)
      const status = answer.statusCode ?? 0
      if (status === 200) return answer
      answer.destroy()
      const location = answer.headers.location
      if (status < 300 || status > 399 || location === undefined) {
        throw new FetchProblem(`the server that it names answers with the status ${status}.`)
      }
      target = imageAddress(location, target)
    }
    throw new FetchProblem(`its address redirects more than ${redirectLimit} times.`)
  }

  /** Resolves the name once, and connects to the checked addresses. */
  async #ask(target: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const { userAgent, ca, isPublic = isPublicAddress } = this.#options
    const addresses = await unlessAborted(this.#addressesOf(target), signal)
    if (addresses.length === 0 || !addresses.every(isPublic)) throw unreachable()
    const { head } = this.#options.limitsMs ?? limitsMs
    const deadline = AbortSignal.timeout(head)
    const { accept } = this.#kind
    try {
      return await openAnswer(target, {
        addresses,
        userAgent,
        accept,
        ca,
        signal: AbortSignal.any([signal, deadline]),
      })
    } catch (error) {
      signal.throwIfAborted()
      throw deadline.aborted ? this.#tooSlow(head) : error
    }
  }

  async #addressesOf({ hostname }: URL): Promise<readonly string[]> {
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(host) !== 0) return [host]
    const find = this.#options.addressesOf ?? addressesInSystem
    return await find(host).catch((error: unknown) => {
      throw unreachable(error)
    })
  }

  #tooSlow(ms: number): FetchProblem {
    return new FetchProblem(`the ${this.#kind.name} does not arrive within ${ms / 1000} seconds.`)
  }
}

async function addressesInSystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
