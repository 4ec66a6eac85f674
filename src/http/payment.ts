import { toApiError } from '../core/errors.ts'
import { nanoToDecimal } from '../core/money.ts'
import type { StartChatOptions } from '../inference/chat.ts'
import type { Settlement } from '../inference/metered.ts'
import { billingUrl } from './billing-url.ts'
import type { Exchange } from './services.ts'

export interface Payer {
  readonly accountId: string
  readonly keyId: string
  /** Path of what is paid for, below /v1. */
  readonly endpoint: string
}

/** How a request is paid for: what `inference/metered.ts` needs to know of it. */
export function paymentOf(
  { request, record, services, baseUrl }: Exchange,
  { accountId, keyId, endpoint }: Payer,
): StartChatOptions['payment'] {
  return {
    call: { requestId: record.requestId, accountId, keyId, endpoint },
    till: services.till,
    signal: request.signal,
    isStopping: services.isStopping,
    times: () => record.times(),
    onSettled: (settlement) => record.settled(settlement),
    onUnsettled: (error) => record.failed(toApiError(error)),
    sliceTokens: services.config.holdTokens,
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
