/** Choice of the endpoint for a request. Pure. */
import type { BreakerState } from './breaker.ts'

/**
 * Characters of the prompt to hash: enough to tell conversations apart, and few enough to stay the same in each turn.
 */
export const prefixLength = 2048

/**
 * Returns endpoints by rendezvous hash, the best first. Requests of one account with the same beginning get the same
 * order, so that a server finds its cached prompt. Adding or removing an endpoint moves only the requests for which it
 * was first.
 */
export function rankEndpoints<Each extends { readonly url: string }>(
  endpoints: readonly Each[],
  accountId: string,
  prefix: string,
): readonly Each[] {
  const key = Bun.hash.wyhash(`${accountId}\n${prefix.slice(0, prefixLength)}`)
  return endpoints
    .map((endpoint) => ({ endpoint, score: Bun.hash.wyhash(endpoint.url, key) }))
    .sort((one, other) => (one.score < other.score ? 1 : -1))
    .map(({ endpoint }) => endpoint)
}

export interface Candidate {
  readonly mayBeUsed: boolean
  readonly outstanding: number
  readonly lastFailureMs: number
  readonly probeAtMs: number | undefined
  state(nowMs: number): BreakerState
}

/**
 * Returns the request's endpoint; undefined if the request must wait. `ranked`: its permitted endpoints, the best
 * first.
 */
export function decide<Each extends Candidate>(
  ranked: readonly Each[],
  maxConcurrent: number,
  nowMs: number,
): Each | undefined {
  const usable = ranked.filter(({ mayBeUsed }) => mayBeUsed)
  const isIn = (...states: BreakerState[]) => usable.filter((each) => states.includes(each.state(nowMs)))
  const good = isIn('closed', 'half-open')
  if (good.length > 0) return choose(good, maxConcurrent)
  // The result of the probe will decide about all waiting requests.
  if (isIn('probing').length > 0) return undefined
  return usable
    .filter(hasRoom(maxConcurrent))
    .reduce<Each | undefined>(
      (oldest, each) => (oldest === undefined || each.lastFailureMs < oldest.lastFailureMs ? each : oldest),
      undefined,
    )
}

/**
 * Decides about a waiting request after a failed attempt. Returns the milliseconds after which its client should retry
 * if all of its endpoints are open; undefined if the request continues to wait.
 */
export function refusedAfterFailure(ranked: readonly Candidate[], nowMs: number): number | undefined {
  const usable = ranked.filter(({ mayBeUsed }) => mayBeUsed)
  if (usable.length === 0 || usable.some((each) => each.state(nowMs) !== 'open')) return undefined
  return Math.min(...usable.map(({ probeAtMs = nowMs }) => probeAtMs)) - nowMs
}

/**
 * Returns the first endpoint, unless its outstanding requests exceed the second's by more than a quarter and two; then
 * the endpoint with the fewest. Undefined if none has room.
 */
function choose<Each extends Candidate>(good: readonly Each[], maxConcurrent: number): Each | undefined {
  const [first, second] = good
  const free = good.filter(hasRoom(maxConcurrent))
  const bound = second === undefined ? Number.POSITIVE_INFINITY : second.outstanding * 1.25 + 2
  if (first !== undefined && free.includes(first) && first.outstanding <= bound) return first
  return free.reduce<Each | undefined>(
    (least, each) => (least === undefined || each.outstanding < least.outstanding ? each : least),
    undefined,
  )
}

function hasRoom(maxConcurrent: number): (each: Candidate) => boolean {
  return ({ outstanding }) => outstanding < maxConcurrent
}
