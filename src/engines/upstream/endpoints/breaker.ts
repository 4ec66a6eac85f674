/** Whether an endpoint gets requests, by how its latest ones ended. Pure. */

export interface Breaker {
  /** Consecutive ones. */
  readonly failures: number
  /** Since a request was last served: each opening lasts twice as long as the one before. */
  readonly openings: number
  /** While it is not closed: when a probe may come, by the caller's clock. */
  readonly probeAtMs: number | undefined
  readonly isProbing: boolean
  readonly lastFailureMs: number
  /** How often it has opened. A request that began in an earlier era says nothing about this one. */
  readonly era: number
}

/** `half-open`: it gets one request, the probe. `open`: only where nothing else is left. */
export type BreakerState = 'closed' | 'open' | 'half-open' | 'probing'

/** A request, as the breaker that it began under remembers it. */
export interface Attempt {
  readonly era: number
  readonly isProbe: boolean
}

/**
 * `refused`: the server works, and does not take what it should. `neutral`: it tells nothing, such as a request that the client cancelled.
 */
export type Outcome = 'served' | 'failed' | 'refused' | 'neutral'

export const closedBreaker: Breaker = {
  failures: 0,
  openings: 0,
  probeAtMs: undefined,
  isProbing: false,
  lastFailureMs: Number.NEGATIVE_INFINITY,
  era: 0,
}

const failuresUntilOpen = 3
const firstOpenMs = 5_000
const openLimitMs = 60_000

export function breakerState({ probeAtMs, isProbing }: Breaker, nowMs: number): BreakerState {
  if (isProbing) return 'probing'
  if (probeAtMs === undefined) return 'closed'
  return nowMs < probeAtMs ? 'open' : 'half-open'
}

/** A request begins. Where the breaker is not closed it is the probe: there must be no other. */
export function begun(breaker: Breaker): { readonly breaker: Breaker; readonly attempt: Attempt } {
  const isProbe = breaker.probeAtMs !== undefined
  if (isProbe && breaker.isProbing) throw new Error('a probe is under way already')
  return { breaker: { ...breaker, isProbing: isProbe }, attempt: { era: breaker.era, isProbe } }
}

/**
 * The server began to answer. A probe's answer may take minutes, so others are let in now; the next failure opens the breaker
 * again, for longer than before, until a request is served.
 */
export function answered(breaker: Breaker, attempt: Attempt): Breaker {
  if (!isProbeOf(breaker, attempt)) return breaker
  return { ...breaker, failures: failuresUntilOpen - 1, probeAtMs: undefined, isProbing: false }
}

/** The attempt is over; once. */
export function ended(breaker: Breaker, attempt: Attempt, outcome: Outcome, nowMs: number): Breaker {
  const isCurrent = attempt.era === breaker.era
  const isProbing = breaker.isProbing && !isProbeOf(breaker, attempt)
  if (outcome === 'served' && isCurrent) {
    return { ...breaker, failures: 0, openings: 0, probeAtMs: undefined, isProbing }
  }
  if (outcome !== 'failed') return { ...breaker, isProbing }
  const failed = { ...breaker, isProbing, lastFailureMs: nowMs }
  if (!isCurrent) return failed
  // A probe that came early, since nothing else was left, does not lengthen the wait.
  if (breaker.probeAtMs !== undefined) return nowMs < breaker.probeAtMs ? failed : opened(failed, nowMs)
  const failures = breaker.failures + 1
  return failures < failuresUntilOpen ? { ...failed, failures } : opened(failed, nowMs)
}

function opened(breaker: Breaker, nowMs: number): Breaker {
  const openMs = Math.min(openLimitMs, firstOpenMs * 2 ** breaker.openings)
  return {
    ...breaker,
    failures: 0,
    openings: breaker.openings + 1,
    probeAtMs: nowMs + openMs,
    isProbing: false,
    era: breaker.era + 1,
  }
}

function isProbeOf(breaker: Breaker, attempt: Attempt): boolean {
  return breaker.isProbing && attempt.isProbe && attempt.era === breaker.era
}
