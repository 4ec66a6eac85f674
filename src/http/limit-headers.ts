/** Headers that tell the limits of a request, only where limits are set. */
import type { Payer } from '../billing/budgets.ts'
import type { Holds } from '../billing/holds.ts'
import type { BoundBy, RateState, RateUse, RequestRates } from '../billing/request-rates.ts'
import { minuteMs } from '../core/durations.ts'
import { type ApiError, errorRule } from '../core/errors.ts'
import { nanoToDecimal } from '../core/money.ts'
import { timeText } from '../inference/insufficient-balance.ts'
import type { ErrorDialect } from './exchange.ts'

type Header = readonly [name: string, value: string]

interface LimitState {
  readonly dialect: ErrorDialect
  readonly rates: RequestRates
  readonly holds: Pick<Holds, 'budgetOf'>
  readonly bounds: readonly BoundBy[]
  readonly payer: Payer
  /** Milliseconds UTC. */
  readonly nowMs: number
}

/** Returns the headers of the tightest limits of each kind. */
export function limitHeaders({ dialect, rates, holds, bounds, payer, nowMs }: LimitState): readonly Header[] {
  const states = bounds.map((bound) => rates.state(bound))
  return [
    ...rateHeaders(dialect, 'requests', tightest(states, 'requests'), nowMs),
    ...rateHeaders(dialect, 'tokens', tightest(states, 'tokens'), nowMs),
    ...budgetHeaders(holds.budgetOf(payer)),
  ]
}

function tightest(states: readonly RateState[], kind: 'requests' | 'tokens'): RateUse | undefined {
  let least: RateUse | undefined
  for (const { [kind]: use } of states) {
    if (use !== undefined && (least === undefined || use.left < least.left)) least = use
  }
  return least
}

function rateHeaders(dialect: ErrorDialect, kind: string, use: RateUse | undefined, nowMs: number): Header[] {
  if (use === undefined) return []
  const { limit, left, resetMs } = use
  const [name, reset]: [(what: string) => string, string] =
    dialect === 'messages'
      ? [(what) => `anthropic-ratelimit-${kind}-${what}`, timeText(Math.ceil((nowMs + resetMs) / 1000) * 1000)]
      : [(what) => `x-ratelimit-${what}-${kind}`, durationText(resetMs)]
  return [
    [name('limit'), String(limit)],
    [name('remaining'), String(left)],
    [name('reset'), reset],
  ]
}

function budgetHeaders(budget: ReturnType<Holds['budgetOf']>): Header[] {
  if (budget === undefined) return []
  return [
    ['x-budget-remaining-usd', nanoToDecimal(budget.leftNanoUsd)],
    ['x-budget-reset', timeText(budget.resetMs)],
  ]
}

/** Returns a duration as clients of chats read it: `12ms`, `6s`, `2m30s`. */
function durationText(ms: number): string {
  if (ms > 0 && ms < 1000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

/**
 * Returns the headers of a refusal by a limit. Some clients take a wait above a minute for none, so they are told not to
 * try again; no client tries again after 402 anyway.
 */
export function refusalHeaders({ kind, retryAfterSeconds }: ApiError): Record<string, string> {
  if (retryAfterSeconds === undefined) return errorRule(kind).status === 402 ? { 'x-should-retry': 'false' } : {}
  const waitMs = Math.ceil(retryAfterSeconds * 1000)
  return {
    'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))),
    'retry-after-ms': String(waitMs),
    ...(waitMs > minuteMs && { 'x-should-retry': 'false' }),
  }
}
