import { costNanoUsd } from '../billing/cost.ts'
import type { CatalogEntry } from '../catalog/catalog.ts'
import { type ModelType, type Pricing, pricingOf } from '../core/model.ts'
import { kindsOfWork, type WorkKind } from '../core/work.ts'
import { coverOf, type PaidRequest, type Till } from './bill.ts'
import { insufficientBalance } from './insufficient-balance.ts'
import { leastUse } from './work-meter.ts'

interface FundsOptions {
  readonly till: Pick<Till, 'check'>
  readonly entries: () => readonly CatalogEntry[]
  /** Address of the page where funds are added */
  readonly billingUrl: string
}

/** Balance that suffices without a look at prices: a token at $1,000 per million */
const plentyNanoUsd = 1_000_000

/**
 * Refuses accounts that cannot pay for a token of any model that the request could name, before its body is read.
 * Returns false for accounts that can only use free models. Throws ApiError 401 or 402.
 */
export function requireFunds(
  holder: Pick<PaidRequest, 'accountId' | 'keyId' | 'holderId'>,
  kind: WorkKind,
  { till, entries, billingUrl }: FundsOptions,
): boolean {
  if (coverOf(till.check({ ...holder, amountNanoUsd: plentyNanoUsd })).isEnough) return true
  const { modelTypes, paid } = kindsOfWork[kind]
  const cheapest = cheapestOf(entries(), modelTypes)
  const { leastNanoUsd = 0, pricing } = cheapest ?? {}
  const cover = coverOf(till.check({ ...holder, amountNanoUsd: Math.max(1, leastNanoUsd) }))
  if (cover.isEnough) return true
  if (paid === 'free' || pricing === undefined || leastNanoUsd === 0) return false
  throw insufficientBalance({ ...cover, neededNanoUsd: leastNanoUsd, pricing, billingUrl })
}

interface Cheapest {
  /** Price of the smallest possible request: one unit of each priced dimension, as `WorkMeter.check` requires */
  readonly leastNanoUsd: number
  readonly pricing: Pricing
}

/** Returns the cheapest priced and servable model of these types; undefined if there is none. */
export function cheapestOf(entries: readonly CatalogEntry[], types: readonly ModelType[]): Cheapest | undefined {
  const least = { ...leastUse(undefined), completionTokens: 1 }
  return entries
    .filter(({ manifest, status }) => types.includes(manifest.type) && status.kind === 'ready')
    .map(({ manifest }) => pricingOf(manifest))
    .filter(({ isPriced }) => isPriced)
    .map(({ pricing }) => ({ pricing, leastNanoUsd: costNanoUsd(pricing, least) }))
    .sort((a, b) => a.leastNanoUsd - b.leastNanoUsd)[0]
}
