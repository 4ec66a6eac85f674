/** Limits of accounts and keys, checked where a request for a model is accepted. */
import type { Payer } from '../billing/budgets.ts'
import { isWithin } from '../billing/limits.ts'
import type { BoundBy } from '../billing/request-rates.ts'
import { minuteMs } from '../core/durations.ts'
import type { RequestRecord } from '../core/request-record.ts'
import type { Stores } from '../operations/stores.ts'
import type { Exchange } from './exchange.ts'
import { endpointNotAllowed, limitCodes, modelNotAllowed, networkNotAllowed, rateExceeded } from './limit-errors.ts'
import { limitHeaders } from './limit-headers.ts'
import type { HttpServices } from './services.ts'

/** Limits of an accepted request, for its later checks. */
export interface Admission {
  /** Throws ApiError 403 if the model is not allowed, and 429 if no tokens are left. */
  requireModel(modelId: string): void
  /** Holds tokens for the request before anything is computed. Throws ApiError 429 if none are left. */
  holdTokens(tokens: number): void
}

/** Services by which limits are checked. */
export type LimitServices = 'stores' | 'rates' | 'clock'

/** Account, and its key where there is one */
export type Limited = Pick<Payer, 'accountId'> & Partial<Payer>

/** Returns the limits that bind an account's or a key's requests. Empty where none are set. */
export function boundsOf({ limits }: Pick<Stores, 'limits'>, payer: Limited): readonly BoundBy[] {
  const bounds: BoundBy[] = []
  for (const subject of [payer.accountId, payer.keyId, payer.holderId]) {
    const binding = subject === undefined ? undefined : limits.binding(subject)
    if (binding !== undefined) bounds.push(binding)
  }
  return bounds
}

/**
 * Counts the requests of the minute before a start against the limits per minute, so that a restart gives nobody a
 * second minute's worth. Requests that a kill broke off have no usage and do not count. `nowMs`: time of the rates.
 */
export function recallLastMinute({ stores, rates, clock }: Pick<HttpServices, LimitServices>, nowMs: number): void {
  if (!stores.limits.isAnySet()) return
  const startMs = clock()
  for (const { endedMs, tokens, ...payer } of stores.usage.endedWithin({ fromMs: startMs - minuteMs, toMs: startMs }))
    rates.recall(boundsOf(stores, payer), { endedMs: nowMs - (startMs - endedMs), tokens })
}

/** Throws ApiError 403 if the client's address is not in the networks of the account and the key. */
export function requireNetwork({ services, clientAddress }: Exchange<'stores'>, payer: Limited): void {
  for (const { subject, limits } of boundsOf(services.stores, payer)) {
    const { networks } = limits
    if (networks !== undefined && !isWithin(clientAddress, networks)) throw networkNotAllowed(subject, clientAddress)
  }
}

/** Throws ApiError 403 if limits leave a model out. */
export function requireModel(bounds: readonly BoundBy[], modelId: string): void {
  const other = bounds.find((bound) => !allowsModel([bound], modelId))
  if (other !== undefined) throw modelNotAllowed(other, modelId)
}

/** Returns whether the limits of an account and a key allow a model. */
export function allowsModel(bounds: readonly BoundBy[], modelId: string): boolean {
  return bounds.every(({ limits }) => limits.models?.includes(modelId) !== false)
}

/**
 * Admits a request to an endpoint, and takes its place among those of its minute and those that run, until the request
 * has ended. Its client's network has been checked. Returns undefined where no limit is set. Throws ApiError 403 or 429.
 */
export function admit(exchange: Exchange<LimitServices>, payer: Payer, endpoint: string): Admission | undefined {
  const { services, observer, dialect } = exchange
  const { stores, rates } = services
  const bounds = boundsOf(stores, payer)
  if (bounds.length === 0) return undefined
  for (const { subject, limits } of bounds) {
    if (limits.endpoints?.includes(endpoint) === false) throw endpointNotAllowed(subject, endpoint, limits.endpoints)
  }
  let release: (() => void) | undefined
  exchange.answerWith(() => {
    // A whole answer is made when the work is over.
    if (!observer.isStream) release?.()
    return limitHeaders({ dialect, rates, bounds, payer, holds: stores.holds, nowMs: services.clock() })
  })
  const place = rates.enter(bounds)
  if ('limit' in place) throw rateExceeded(place)
  release = () => place.keepUsed(computedTokens(observer.used))
  exchange.onEnd(() => {
    const { used, errorCode } = observer
    place.leave(computedTokens(used), errorCode !== undefined && limitCodes.includes(errorCode))
  })
  return {
    requireModel: (modelId) => {
      requireModel(bounds, modelId)
      const excess = rates.tokenExcess(bounds)
      if (excess !== undefined) throw rateExceeded(excess)
    },
    holdTokens: (tokens) => {
      const excess = place.holdTokens(tokens)
      if (excess !== undefined) throw rateExceeded(excess)
    },
  }
}

function computedTokens(used: RequestRecord['used']): number {
  return used === undefined ? 0 : used.promptTokens - used.cachedTokens + used.completionTokens
}
