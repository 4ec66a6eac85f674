/** What usage costs. Pure; prices are nano-USD per unit (`core/model.ts`). */
import type { Pricing } from '../core/model.ts'
import { unreachable } from '../core/unreachable.ts'
import type { Consumption } from '../core/usage.ts'

const tokensPerUnit = 1_000_000n
const charactersPerUnit = 1_000_000n
const msPerMinute = 60_000n

/**
 * Price of what was used, in nano-USD, rounded up to a whole one once, at the end. Cached prompt tokens cost the cached
 * price where the model has one, which is never above the input price. So more usage never costs less, and what was held for
 * the most that could be used, nothing of it cached, suffices.
 */
export function costNanoUsd(pricing: Pricing, used: Consumption): number {
  const price = BigInt(pricing.priceNanoUsd ?? 0)
  switch (pricing.unit) {
    case '1M_tokens':
      if (pricing.priceNanoUsd !== undefined) return divideUp(BigInt(used.promptTokens) * price, tokensPerUnit)
      return divideUp(chatPrice(pricing, used), tokensPerUnit)
    case '1M_characters':
      return divideUp(BigInt(used.characters) * price, charactersPerUnit)
    case 'minute':
      return divideUp(BigInt(Math.ceil(used.audioMs)) * price, msPerMinute)
    default:
      return unreachable(pricing.unit)
  }
}

/** How many output tokens `nanoUsd` pays for, beside a prompt of `promptTokens`; Infinity where they cost nothing. */
export function affordableOutputTokens(pricing: Pricing, promptTokens: number, nanoUsd: number): number {
  const output = BigInt(pricing.outputNanoUsd ?? 0)
  const input = BigInt(pricing.inputNanoUsd ?? 0)
  const left = BigInt(nanoUsd) * tokensPerUnit - BigInt(promptTokens) * input
  if (left < 0n) return 0
  return output === 0n ? Number.POSITIVE_INFINITY : Number(left / output)
}

/** In nano-USD per million tokens times tokens. */
function chatPrice(pricing: Pricing, used: Consumption): bigint {
  const input = BigInt(pricing.inputNanoUsd ?? 0)
  const cachedInput = BigInt(pricing.cachedInputNanoUsd ?? pricing.inputNanoUsd ?? 0)
  const output = BigInt(pricing.outputNanoUsd ?? 0)
  const uncached = BigInt(used.promptTokens - used.cachedTokens)
  return uncached * input + BigInt(used.cachedTokens) * cachedInput + BigInt(used.completionTokens) * output
}

function divideUp(value: bigint, divisor: bigint): number {
  return Number((value + divisor - 1n) / divisor)
}
