import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { ApiError } from '../core/errors.ts'
import { Turns } from '../core/turns.ts'
import type { SearchOutcome, SearchQuery, SearchTheWeb } from '../core/web-search.ts'
import { unlessAborted } from '../core/within.ts'
import { openAnswer } from '../images/fetch/open-answer.ts'
import { readAnswer } from '../images/fetch/read-answer.ts'
import { filterOf } from './domains.ts'
import { readResults } from './read-results.ts'

/** Limits of searches at once. */
const turnLimits = { all: 8, ofAccount: 4 }
const limits = { timeoutMs: 5_000, answerBytes: 2 * 1024 * 1024 }

interface SearxngOptions {
  /** Address as the operator wrote it, perhaps with a path. */
  readonly url: string
  readonly userAgent: string
  readonly limits?: typeof limits
}

/** Answer of a search server: its results, or why there are none, in words for the operator. */
export type SearxngAnswer =
  | { readonly type: 'results'; readonly results: readonly unknown[] }
  | { readonly type: 'refused'; readonly status: number }
  | { readonly type: 'failed'; readonly reason: string }

/** Returns the search by one SearXNG server. Failures are outcomes. */
export function searxngSearch(options: SearxngOptions): SearchTheWeb {
  const turns = new Turns(turnLimits)
  return async (query, accountId, signal) => {
    using _turn = await turns.take(accountId, 1, signal)
    const answer = await askSearxng(options, query, signal)
    return toOutcome(answer, query)
  }
}

function toOutcome(answer: SearxngAnswer, query: SearchQuery): SearchOutcome {
  if (answer.type === 'results') {
    return { type: 'results', results: readResults(answer.results, filterOf(query)) }
  }
  const isBusy = answer.type === 'refused' && answer.status === 429
  return { type: 'problem', problem: isBusy ? 'too_many_requests' : 'unavailable' }
}

/** Asks the server, once and within 5 seconds. Throws only the signal's reason. */
export async function askSearxng(
  { url, userAgent, limits: { timeoutMs, answerBytes } = limits }: SearxngOptions,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearxngAnswer> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, deadline])
  try {
    const address = searchAddress(url, query)
    const addresses = await unlessAborted(addressesOf(address), either)
    const accept = 'application/json'
    const answer = await openAnswer(address, { addresses, userAgent, accept, signal: either })
    return await readJson(answer, answerBytes, either)
  } catch (error) {
    signal.throwIfAborted()
    if (deadline.aborted) return { type: 'failed', reason: `it does not answer within ${timeoutMs / 1000} seconds` }
    return { type: 'failed', reason: error instanceof ApiError ? error.message : 'nothing answers at its address' }
  }
}

/** Oldest ages of results that a server knows, in days. */
const timeRanges = [
  ['day', 1],
  ['month', 31],
  ['year', 366],
] as const

/** Returns the address of a search: the operator's, with the query in its parameters alone. */
export function searchAddress(url: string, { text, recencyDays, allowedDomains = [] }: SearchQuery): URL {
  const address = new URL(`${url.replace(/\/+$/, '')}/search`)
  // One site is a word of the query; more than one would be understood by few engines.
  const [site] = allowedDomains
  address.searchParams.set('q', site !== undefined && allowedDomains.length === 1 ? `${text} site:${site}` : text)
  address.searchParams.set('format', 'json')
  const range = recencyDays === undefined ? undefined : timeRanges.find(([, days]) => recencyDays <= days)
  if (range !== undefined) address.searchParams.set('time_range', range[0])
  return address
}

async function addressesOf({ hostname }: URL): Promise<readonly string[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0) return [host]
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

async function readJson(answer: IncomingMessage, limitBytes: number, signal: AbortSignal): Promise<SearxngAnswer> {
  const status = answer.statusCode ?? 0
  if (status !== 200) {
    answer.destroy()
    return { type: 'refused', status }
  }
  const tooLarge = () => new ApiError('payload_too_large', 'its answer is too large', { code: 'payload_too_large' })
  const { bytes } = await readAnswer(answer, { limitBytes, tooLarge, signal })
  const results = resultsIn(new TextDecoder().decode(bytes))
  return results === undefined ? { type: 'failed', reason: 'it does not answer in JSON' } : { type: 'results', results }
}

function resultsIn(text: string): readonly unknown[] | undefined {
  try {
    const { results } = Object(JSON.parse(text))
    return Array.isArray(results) ? results : undefined
  } catch {
    return undefined
  }
}
