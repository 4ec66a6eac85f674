import { toApiError } from '../core/errors.ts'
import { nanoToDecimal } from '../core/money.ts'
import type { PaidRequest, Settlement } from '../inference/bill.ts'
import type { Payment } from '../inference/run-work.ts'
import { billingUrl } from './page-urls.ts'
import type { Exchange } from './services.ts'

/** How a request to a model is paid for. */
export function paymentOf(
  { request, record, services, baseUrl, arrivedAtMs }: Exchange,
  payer: Omit<PaidRequest, 'requestId'>,
  modelId: string,
): Payment {
  const { till, isStopping, clock, pool, config } = services
  return {
    request: { ...payer, requestId: record.requestId },
    till,
    signal: request.signal,
    isStopping,
    clock,
    arrivedAtMs,
    wasLoaded: pool.status().some((engine) => engine.modelId === modelId && engine.state === 'ready'),
    onUnsettled: (error) => record.failed(toApiError(error)),
    sliceTokens: config.holdTokens,
    billingUrl: billingUrl(baseUrl),
  }
}

/** What an answer that is whole tells about its price: exact decimal USD. The balance is that after it. */
export function costHeaders(settlement: Settlement | undefined): [name: string, value: string][] {
  if (settlement === undefined) return []
  const headers: [string, string][] = [['x-cost-usd', nanoToDecimal(settlement.costNanoUsd)]]
  if (settlement.balanceNanoUsd !== undefined) headers.push(['x-balance-usd', nanoToDecimal(settlement.balanceNanoUsd)])
  return headers
}
