import type { ModelManifest, ModelType, Pricing } from './model.ts'

const freeTokens: Pricing = { inputNanoUsd: 0, outputNanoUsd: 0, unit: '1M_tokens' }

/** Prices of a model that is free for all, in the unit and the fields of its type. */
export const freePricing: Readonly<Record<ModelType, Pricing>> = {
  chat: freeTokens,
  vision: freeTokens,
  embedding: { priceNanoUsd: 0, unit: '1M_tokens' },
  rerank: { priceNanoUsd: 0, unit: '1M_tokens' },
  tts: { priceNanoUsd: 0, unit: '1M_characters' },
  stt: { priceNanoUsd: 0, unit: 'minute' },
}

/** A model's prices, and whether anybody has set them: without, the model costs nothing and is for unmetered accounts only. */
export function pricingOf({ pricing, type }: Pick<ModelManifest, 'pricing' | 'type'>): {
  readonly pricing: Pricing
  readonly isPriced: boolean
} {
  return { pricing: pricing ?? freePricing[type], isPriced: pricing !== undefined }
}
