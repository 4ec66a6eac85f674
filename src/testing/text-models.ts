import type { TestModel } from './test-server.ts'

/** 10 nano-USD a token. */
const textPricing = { priceNanoUsd: 10_000_000, unit: '1M_tokens' } as const

/** Models that embed and rerank on the fake engine. */
export const textModels: Readonly<Record<string, TestModel>> = {
  'test/embedder': {
    manifest: {
      type: 'embedding',
      dimensions: 8,
      contextLength: 512,
      aliases: [{ id: 'embedder' }],
      pricing: textPricing,
      capabilities: { custom_dimensions: true },
    },
  },
  'test/reranker': {
    manifest: { type: 'rerank', contextLength: 512, aliases: [{ id: 'reranker' }], pricing: textPricing },
  },
}
