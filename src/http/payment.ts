import { ApiError, toApiError } from '../core/errors.ts'
import { nanoToDecimal } from '../core/money.ts'
import type { PaidRequest, Settlement } from '../inference/bill.ts'
import type { Payment } from '../inference/run-work.ts'
import type { Exchange } from './exchange.ts'
import type { Admission } from './limits.ts'
import { billingUrl } from './page-urls.ts'

/** Ends a request when its client disconnects or the operator cancels it, whichever comes first. */
export interface Cancellation {
  readonly signal: AbortSignal
  /** Cancels the request for the operator: its work ends with an ApiError, which the client receives. */
  cancel(): void
  /** Returns true if the operator cancelled the request before the client disconnected. */
  isCancelled(): boolean
}

/** Returns the cancellation of a request. `client` aborts when the client disconnects. */
export function cancellation(client: AbortSignal): Cancellation {
  const controller = new AbortController()
  const { signal } = controller
  const leave = () => controller.abort(client.reason)
  if (client.aborted) leave()
  else client.addEventListener('abort', leave, { once: true })
  let cancelled: ApiError | undefined
  return {
    signal,
    cancel: () => {
      cancelled ??= cancelledByOperator()
      controller.abort(cancelled)
    },
    isCancelled: () => cancelled !== undefined && signal.reason === cancelled,
  }
}

/** Returns a 403, which clients do not retry by themselves. */
function cancelledByOperator(): ApiError {
  const message = "The server's operator cancelled this request. Nothing was charged."
  return new ApiError('permission', message, { code: 'request_cancelled' })
}

/** Services by which requests are paid for. */
export type Paying = 'till' | 'isStopping' | 'clock' | 'pool' | 'config' | 'searching'

/** Returns the means of payment of a request to a model. The request ends when `signal` aborts. */
export function paymentOf(
  { observer, services, baseUrl, arrivedAtMs }: Exchange<Paying>,
  paid: Omit<PaidRequest, 'requestId'>,
  modelId: string,
  { signal, isCancelled }: Omit<Cancellation, 'cancel'>,
  admission?: Admission,
): Payment {
  const { till, isStopping, clock, pool, config } = services
  return {
    request: { ...paid, requestId: observer.requestId },
    till,
    signal,
    isStopping: () => isStopping() || isCancelled(),
    clock,
    arrivedAtMs,
    wasLoaded: pool.isLoaded(modelId),
    onUnsettled: (error) => observer.onError(toApiError(error)),
    sliceTokens: config.holdTokens,
    billingUrl: billingUrl(baseUrl),
    searching: services.searching,
    holdTokens: admission?.holdTokens,
  }
}

/**
 * Returns the price headers of an answer that is sent after its settlement, in exact decimal USD. `stepsNanoUsd` is the
 * cost of steps that were settled with it.
 */
export function costHeaders(settlement: Settlement | undefined, stepsNanoUsd = 0): [name: string, value: string][] {
  if (settlement === undefined) return []
  const headers: [string, string][] = [['x-cost-usd', nanoToDecimal(settlement.costNanoUsd + stepsNanoUsd)]]
  if (settlement.balanceNanoUsd !== undefined) headers.push(['x-balance-usd', nanoToDecimal(settlement.balanceNanoUsd)])
  return headers
}
