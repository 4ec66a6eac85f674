import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Turns } from '../../core/turns.ts'
import { unlessAborted } from '../../core/within.ts'
import { invalidImage, invalidImageUrl } from '../image-errors.ts'
import type { ImageLimits } from '../image-limits.ts'
import type { ImageBytes } from '../sent-images.ts'
import { Unreadable } from '../unreadable.ts'
import { FetchProblem, unreachable } from './fetch-problem.ts'
import { imageAddress, isPublicAddress } from './image-address.ts'
import { openAnswer } from './open-answer.ts'
import { readImage } from './read-image.ts'

/** Limits of fetches at once. Each holds a whole picture in memory. */
const fetchTurns = { all: 8, ofAccount: 4 }
const redirectLimit = 3
const limitsMs = { head: 5_000, picture: 10_000 }

export interface ImageFetcherOptions {
  /** True if the operator has enabled it. */
  readonly isAllowed: boolean
  readonly userAgent: string
  /** Resolver for tests, in place of the system's. */
  readonly addressesOf?: (name: string) => Promise<readonly string[]>
  /** Test whether an address is public, which tests replace. */
  readonly isPublic?: (address: string) => boolean
  /** Further trusted certificates in PEM, for tests. */
  readonly ca?: string
  readonly limitsMs?: typeof limitsMs
}

export interface ImageRequest {
  /** Address as the client sent it. */
  readonly url: string
  readonly param: string
  readonly limits: ImageLimits
  readonly accountId: string
  readonly signal: AbortSignal
}

/** Fetched picture. Dispose of it once its bytes are stored, so that the next fetch can begin. */
interface FetchedImage extends ImageBytes, Disposable {}

/** Fetches pictures only from servers of the public Internet. */
export class ImageFetcher {
  readonly #options: ImageFetcherOptions
  readonly #turns = new Turns(fetchTurns)

  constructor(options: ImageFetcherOptions) {
    this.#options = options
  }

  /**
   * Fetches a picture, after other fetches of the account. Throws ApiError 400 `invalid_image_url` if the picture may
   * not be fetched or does not come, 400 `invalid_image` if it is no picture, 413 if the file is too large, and the
   * signal's reason.
   */
  async fetch(request: ImageRequest): Promise<FetchedImage> {
    const { param, accountId, signal } = request
    try {
      const address = imageAddress(request.url)
      if (!this.#options.isAllowed) throw invalidImageUrl(param, notAllowed.problem, notAllowed.advice)
      using turns = new DisposableStack()
      turns.use(await this.#turns.take(accountId, 1, signal))
      const image = await this.#download(address, request)
      const turn = turns.move()
      return { ...image, [Symbol.dispose]: () => turn.dispose() }
    } catch (error) {
      if (error instanceof FetchProblem) throw invalidImageUrl(param, error.message, undefined, error.cause)
      if (error instanceof Unreadable) throw invalidImage(param, error.message)
      throw error
    }
  }

  async #download(address: URL, { limits, param, signal }: ImageRequest): Promise<ImageBytes> {
    const { picture } = this.#options.limitsMs ?? limitsMs
    const deadline = AbortSignal.timeout(picture)
    try {
      const answer = await this.#follow(address, AbortSignal.any([signal, deadline]))
      return await readImage(answer, { limits, param, signal: AbortSignal.any([signal, deadline]) })
    } catch (error) {
      signal.throwIfAborted()
      if (deadline.aborted) throw tooSlow(picture)
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
    try {
      return await openAnswer(target, { addresses, userAgent, ca, signal: AbortSignal.any([signal, deadline]) })
    } catch (error) {
      signal.throwIfAborted()
      throw deadline.aborted ? tooSlow(head) : error
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
}

const notAllowed = {
  problem: 'this server fetches no pictures from elsewhere.',
  advice: 'Send the picture itself: data:image/png;base64,… The operator can allow it with the setting image-urls.',
}

async function addressesInSystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

function tooSlow(ms: number): FetchProblem {
  return new FetchProblem(`the picture does not arrive within ${ms / 1000} seconds.`)
}
