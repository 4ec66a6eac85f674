/** Paid requests on the pages of an account, and the receipt of one. Amounts are exact decimal USD. */
import type { Pricing } from '../../core/model.ts'
import { nanoToDecimal } from '../../core/money.ts'
import type { Consumption } from '../../core/usage.ts'
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

/** `cancelled`: the client disconnected; what was computed until then is charged. `failed`: our fault, nothing is charged. */
export type RequestStatus = 'completed' | 'cancelled' | 'failed'

export interface RequestRow extends Consumed {
  readonly request_id: string
  /** When it ended: ISO 8601. */
  readonly created: string
  /** Path of the endpoint below /v1. */
  readonly endpoint: string
  readonly model: string
  readonly key_id: string
  readonly key_name: string | null
  readonly status: RequestStatus
  /** Why the answer ended. */
  readonly finish: string
  /** Before the work began, where the model was loaded already. */
  readonly queued_ms: number | null
  /** The same time where it was not. */
  readonly loading_ms: number | null
  /** From the request's arrival; null for answers that come in one piece. */
  readonly first_output_ms: number | null
  readonly running_ms: number | null
  /** What it consumed was not counted, but estimated. */
  readonly estimated: boolean
}

export interface RequestPage {
  readonly object: 'list'
  /** The latest first. */
  readonly data: readonly RequestRow[]
  readonly has_more: boolean
}

/** The prices that were applied, per unit; null where the model has no such price. */
export interface AppliedPrices {
  readonly unit: Pricing['unit']
  readonly input_usd: string | null
  readonly cached_input_usd: string | null
  readonly output_usd: string | null
  /** Of models with one price for all that they consume. */
  readonly price_usd: string | null
}

export interface Receipt extends RequestRow {
  readonly object: 'receipt'
  readonly prices: AppliedPrices
  /** What was held last; null for unmetered accounts, for which nothing is. */
  readonly held_usd: string | null
  /** Null where nothing was charged. */
  readonly balance_after_usd: string | null
}

export interface RequestFacts {
  readonly requestId: string
  readonly endpoint: string
  readonly model: string
  readonly keyId: string
  readonly keyName: string | undefined
  readonly used: Consumption
  readonly pricing: Pricing
  readonly costNanoUsd: number
  readonly chargedNanoUsd: number
  readonly heldNanoUsd?: number | undefined
  readonly finish: string
  readonly queuedMs?: number | undefined
  readonly loadingMs?: number | undefined
  readonly firstOutputMs?: number | undefined
  readonly runningMs?: number | undefined
  readonly isEstimated: boolean
  readonly createdMs: number
}

/** `rows` may have one more than `limit`. */
export function toRequestPage(rows: readonly RequestFacts[], limit: number): RequestPage {
  const { data, has_more } = pageOf(rows, limit)
  return { object: 'list', data: data.map(toRequestRow), has_more }
}

export function toReceipt(facts: RequestFacts & { readonly balanceAfterNanoUsd: number | undefined }): Receipt {
  const { pricing, heldNanoUsd, balanceAfterNanoUsd } = facts
  return {
    object: 'receipt',
    ...toRequestRow(facts),
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

function toRequestRow(facts: RequestFacts): RequestRow {
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
