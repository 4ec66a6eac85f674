/** Cost of usage. Pure; prices are nano-USD per unit (`core/model.ts`). */
import type { Pricing } from '../core/model.ts'
import type { Consumption } from '../core/usage.ts'

/** Tokens, characters, milliseconds or pictures that one price pays for. */
const unitSizes: Readonly<Record<Pricing['unit'], bigint>> = {
  '1M_tokens': 1_000_000n,
  '1M_characters': 1_000_000n,
  minute: 60_000n,
  image: 1n,
}

/**
 * Returns the cost in nano-USD, rounded up once at the end. Cached prompt tokens cost the cached price if the model has
 * one, which is never above the input price. So more usage never costs less, and a hold for the maximum without cached
 * tokens always suffices.
 */
export function costNanoUsd(pricing: Pricing, used: Consumption): number {
  const size = unitSizes[pricing.unit]
  return Number((unitCosts(pricing, used) + size - 1n) / size)
}

/**
 * Returns the amount of one dimension that `nanoUsd` pays for in addition to the rest of `used`. Infinity if that
 * dimension is free or the money is unlimited.
 */
export function affordable(pricing: Pricing, used: Consumption, dimension: keyof Consumption, nanoUsd: number): number {
  if (nanoUsd === Number.POSITIVE_INFINITY) return nanoUsd
  const rest = unitCosts(pricing, { ...used, [dimension]: 0 })
  const price = unitCosts(pricing, { ...used, [dimension]: 1 }) - rest
  const left = BigInt(nanoUsd) * unitSizes[pricing.unit] - rest
  if (left < 0n) return 0
  return price === 0n ? Number.POSITIVE_INFINITY : Number(left / price)
}

/** Returns nano-USD times the size of the price's unit: linear in each dimension. */
function unitCosts(pricing: Pricing, used: Consumption): bigint {
  const searches = times(used.searches ?? 0, pricing.searchNanoUsd) * unitSizes[pricing.unit]
  return searches + measuredCosts(pricing, used)
}

function measuredCosts(pricing: Pricing, used: Consumption): bigint {
  const { unit, inputNanoUsd, cachedInputNanoUsd, outputNanoUsd, priceNanoUsd } = pricing
  if (unit === '1M_characters') return times(used.characters, priceNanoUsd)
  if (unit === 'minute') return times(Math.ceil(used.audioMs), priceNanoUsd)
  if (unit === 'image') return times(used.images, priceNanoUsd)
  if (priceNanoUsd !== undefined) return times(used.promptTokens, priceNanoUsd)
  return (
    times(used.promptTokens - used.cachedTokens, inputNanoUsd) +
    times(used.cachedTokens, cachedInputNanoUsd ?? inputNanoUsd) +
    times(used.completionTokens, outputNanoUsd)
  )
}

function times(amount: number, priceNanoUsd = 0): bigint {
  return BigInt(amount) * BigInt(priceNanoUsd)
}
