import type { ModelManifest, ModelType, Pricing } from './model.ts'

const freeTokens: Pricing = { inputNanoUsd: 0, outputNanoUsd: 0, unit: '1M_tokens' }

/** What a model without prices costs: nothing, in the unit and the fields of its type. */
const freePricing: Readonly<Record<ModelType, Pricing>> = {
  chat: freeTokens,
  vision: freeTokens,
  embedding: { priceNanoUsd: 0, unit: '1M_tokens' },
  rerank: { priceNanoUsd: 0, unit: '1M_tokens' },
  tts: { priceNanoUsd: 0, unit: '1M_characters' },
  stt: { priceNanoUsd: 0, unit: 'minute' },
}

/** A model's prices. */
export function pricingOf({ pricing, type }: Pick<ModelManifest, 'pricing' | 'type'>): Pricing {
  return pricing ?? freePricing[type]
}
