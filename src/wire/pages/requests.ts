/** Projections of paid requests for the account's pages: rows of a list, and the receipt. Amounts are exact decimal USD. */
import type { Pricing } from '../../core/model.ts'
import { nanoToDecimal } from '../../core/money.ts'
import type { StoredRequestRecord } from '../../core/request-record.ts'
import { invalidValue } from '../check.ts'
import { type Consumed, toConsumed } from '../usage-report.ts'
import { pageOf, readPage, text, time, toTime } from './query.ts'

const maximumRows = 100

export function parseRequestsQuery(query: URLSearchParams) {
  const failed = text(query, 'failed')
  if (failed !== undefined && failed !== 'true' && failed !== 'false') throw invalidValue('failed', 'true or false')
  const hasFailed = failed === undefined ? undefined : failed === 'true'
  return {
    ...readPage(query, maximumRows),
    model: text(query, 'model'),
    key: text(query, 'key'),
    fromMs: time(query, 'from'),
    toMs: time(query, 'to'),
    hasFailed,
  }
}

/** `cancelled`: the client disconnected and is charged for the part computed until then. `failed`: nothing is charged. */
export type RequestStatus = 'completed' | 'cancelled' | 'failed'

export interface AccountRequest extends Consumed {
  readonly request_id: string
  /** Time of the end, ISO 8601. */
  readonly created: string
  /** Path of the endpoint below /v1. */
  readonly endpoint: string
  readonly model: string
  readonly key_id: string
  readonly key_name: string | null
  readonly status: RequestStatus
  /** Reason of the end. */
  readonly finish: string
  /** Wait before the work began, where the model was loaded already. */
  readonly queued_ms: number | null
  /** The same time where it was not. */
  readonly loading_ms: number | null
  /** Time from arrival; null for answers that are sent in one piece. */
  readonly first_output_ms: number | null
  readonly running_ms: number | null
  /** The consumption was estimated, since no engine counted it. */
  readonly estimated: boolean
}

export interface AccountRequestPage {
  readonly object: 'list'
  /** The latest first. */
  readonly data: readonly AccountRequest[]
  readonly has_more: boolean
}

/** The prices that were applied, per unit; null where the model has no such price. */
export interface AppliedPrices {
  readonly unit: Pricing['unit']
  readonly input_usd: string | null
  readonly cached_input_usd: string | null
  readonly output_usd: string | null
  /** Price of models with one price for everything. */
  readonly price_usd: string | null
}

export interface Receipt extends AccountRequest {
  readonly object: 'receipt'
  readonly prices: AppliedPrices
  /** Amount held at the end; null for unmetered accounts. */
  readonly held_usd: string | null
  /** Null where nothing was charged. */
  readonly balance_after_usd: string | null
}

/** Returns a page of requests. `rows` may have one more than `limit`. */
export function toAccountRequests(rows: readonly StoredRequestRecord[], limit: number): AccountRequestPage {
  const { data, has_more } = pageOf(rows, limit)
  return { object: 'list', data: data.map(toAccountRequest), has_more }
}

export function toReceipt(facts: StoredRequestRecord & { readonly balanceAfterNanoUsd: number | undefined }): Receipt {
  const { pricing, heldNanoUsd, balanceAfterNanoUsd } = facts
  return {
    object: 'receipt',
    ...toAccountRequest(facts),
    prices: {
      unit: pricing.unit,
      input_usd: toUsd(pricing.inputNanoUsd),
      cached_input_usd: toUsd(pricing.cachedInputNanoUsd),
      output_usd: toUsd(pricing.outputNanoUsd),
      price_usd: toUsd(pricing.priceNanoUsd),
    },
    held_usd: toUsd(heldNanoUsd),
    balance_after_usd: toUsd(balanceAfterNanoUsd),
  }
}

const statuses: Readonly<Record<string, RequestStatus>> = { failed: 'failed', client_disconnect: 'cancelled' }

function toAccountRequest(facts: StoredRequestRecord): AccountRequest {
  return {
    request_id: facts.requestId,
    created: toTime(facts.createdMs),
    endpoint: facts.endpoint,
    model: facts.model,
    key_id: facts.keyId,
    key_name: facts.keyName ?? null,
    status: statuses[facts.finish] ?? 'completed',
    finish: facts.finish,
    ...toConsumed(facts.used, facts),
    queued_ms: facts.queuedMs ?? null,
    loading_ms: facts.loadingMs ?? null,
    first_output_ms: facts.firstOutputMs ?? null,
    running_ms: facts.runningMs ?? null,
    estimated: facts.isEstimated,
  }
}

function toUsd(nanoUsd: number | undefined): string | null {
  return nanoUsd === undefined ? null : nanoToDecimal(nanoUsd)
}
