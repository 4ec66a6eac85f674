/** Circuit breaker of an endpoint, driven by the outcomes of its latest requests. Pure. */
import type { EndpointState } from '../../../core/endpoint-state.ts'

export interface Breaker {
  readonly phase: BreakerPhase
  /** Openings since a request was last served. Each lasts twice as long as the previous. */
  readonly openings: number
  readonly lastFailureMs: number
  /** Number of openings in total. Requests that began in an earlier era do not affect the current one. */
  readonly era: number
}

type BreakerPhase =
  /** `failures`: consecutive failures. */
  | { readonly kind: 'closed'; readonly failures: number }
  /** `probeAtMs`: earliest time of a probe, by the caller's clock. */
  | { readonly kind: 'open'; readonly probeAtMs: number; readonly isProbing: boolean }

/** `half-open` admits one request, the probe. `open` is used only if no other endpoint is left. */
export type BreakerState = Exclude<EndpointState['state'], 'out-of-use' | 'draining'>

/** Request as remembered by the breaker at its start. */
export interface Attempt {
  readonly era: number
  readonly isProbe: boolean
}

/**
 * Outcome of a request. `refused`: the server works but rejects valid requests. `neutral`: says nothing about the
 * server, such as a request that the client cancelled.
 */
export type Outcome = 'served' | 'failed' | 'refused' | 'neutral'

export const closedBreaker: Breaker = {
  phase: { kind: 'closed', failures: 0 },
  openings: 0,
  lastFailureMs: Number.NEGATIVE_INFINITY,
  era: 0,
}

const failuresUntilOpen = 3
const firstOpenMs = 5_000
const openLimitMs = 60_000

export function breakerState({ phase }: Breaker, nowMs: number): BreakerState {
  if (phase.kind === 'closed') return 'closed'
  if (phase.isProbing) return 'probing'
  return nowMs < phase.probeAtMs ? 'open' : 'half-open'
}

/** Returns the earliest time of a probe; undefined while closed. */
export function probeTimeMs({ phase }: Breaker): number | undefined {
  return phase.kind === 'open' ? phase.probeAtMs : undefined
}

/** Begins a request. Unless the breaker is closed, the request is the probe, and there must be no other. */
export function begun(breaker: Breaker): { readonly breaker: Breaker; readonly attempt: Attempt } {
  const { phase, era } = breaker
  if (phase.kind === 'closed') return { breaker, attempt: { era, isProbe: false } }
  if (phase.isProbing) throw new Error('a probe is under way already')
  return { breaker: { ...breaker, phase: { ...phase, isProbing: true } }, attempt: { era, isProbe: true } }
}

/**
 * Records that the server began to answer. A probe's answer may take minutes, so other requests are admitted now.
 * Until a request is served, the next failure opens the breaker again, for longer than before.
 */
export function answered(breaker: Breaker, attempt: Attempt): Breaker {
  if (!isProbeOf(breaker, attempt)) return breaker
  return { ...breaker, phase: { kind: 'closed', failures: failuresUntilOpen - 1 } }
}

/** Ends an attempt. Each attempt ends once. */
export function ended(breaker: Breaker, attempt: Attempt, outcome: Outcome, nowMs: number): Breaker {
  const isCurrent = attempt.era === breaker.era
  if (outcome === 'served' && isCurrent) return { ...breaker, phase: { kind: 'closed', failures: 0 }, openings: 0 }
  const phase = isProbeOf(breaker, attempt) ? { ...breaker.phase, isProbing: false } : breaker.phase
  if (outcome !== 'failed') return { ...breaker, phase }
  const failed = { ...breaker, phase, lastFailureMs: nowMs }
  if (!isCurrent) return failed
  // An early probe, made because no other endpoint was left, does not lengthen the wait.
  if (phase.kind === 'open') return nowMs < phase.probeAtMs ? failed : opened(failed, nowMs)
  const failures = phase.failures + 1
  return failures < failuresUntilOpen ? { ...failed, phase: { kind: 'closed', failures } } : opened(failed, nowMs)
}

function opened(breaker: Breaker, nowMs: number): Breaker {
  const openMs = Math.min(openLimitMs, firstOpenMs * 2 ** breaker.openings)
  return {
    ...breaker,
    phase: { kind: 'open', probeAtMs: nowMs + openMs, isProbing: false },
    openings: breaker.openings + 1,
    era: breaker.era + 1,
  }
}

function isProbeOf({ phase, era }: Breaker, attempt: Attempt): boolean {
  return phase.kind === 'open' && phase.isProbing && attempt.isProbe && attempt.era === era
}
