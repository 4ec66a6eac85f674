/** Prices of all models: of the manifest, in force, and at the next start, with what a typical request costs. */
import { costNanoUsd } from '../billing/cost.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { pricesProblem } from '../catalog/check-prices.ts'
import { type Overrides, withOverrides } from '../catalog/overrides.ts'
import type { Config } from '../config/config.ts'
import { freePricing, type ModelManifest, type ModelType, type Pricing } from '../core/model.ts'
import { type Consumption, nothingConsumed } from '../core/usage.ts'
import type { ModelPrices, PriceList } from '../operations/running-server.ts'
import { manifestOf } from './model-settings.ts'
import { priceOverride } from './setting-edits.ts'

/** Typical request by type. A chat's prompt is a page of text, its answer three paragraphs. */
const typicalUse: Readonly<Record<ModelType, Partial<Consumption>>> = {
  chat: { promptTokens: 1_000, completionTokens: 300 },
  vision: { promptTokens: 1_000, completionTokens: 300 },
  embedding: { promptTokens: 1_000 },
  rerank: { promptTokens: 1_000 },
  tts: { characters: 1_000 },
  stt: { audioMs: 600_000 },
  image: { images: 1 },
  moderation: { promptTokens: 1_000 },
}

interface PriceListOptions {
  /** Catalog with the manifests' own prices. */
  readonly plain: Catalog
  /** Returns the prices of the settings file that are in force. */
  readonly inForce: () => Prices
  /** Returns the settings of the next start, or the reason why it would fail. */
  readonly next: () => Config | string
}

type Prices = Pick<Overrides, 'prices'>

/** Returns the prices' reader. */
export function priceList({ plain: catalog, inForce: current, next }: PriceListOptions): PriceList {
  return {
    list() {
      const coming = next()
      return catalog.entries().map(({ manifest }) => {
        const inForce = pricesOf(manifest, current())
        const later = typeof coming === 'string' ? undefined : pricesOf(manifest, coming)
        return {
          ...{ model: manifest.id, type: manifest.type, unit: freePricing[manifest.type].unit },
          isNoncommercial: manifest.noncommercial === true,
          typical: typicalUse[manifest.type],
          own: pricesOf(manifest, undefined),
          inForce,
          next: later,
          isChanged: typeof coming !== 'string' && coming.prices.has(manifest.id),
          needsRestart: typeof coming !== 'string' && !Bun.deepEquals(inForce, later),
        }
      })
    },
    tryOut(model, texts) {
      const manifest = manifestOf(catalog, model)
      const own: Pricing = manifest.pricing ?? { unit: freePricing[manifest.type].unit }
      const pricing = { ...own, ...priceOverride(texts) }
      const problem = pricesProblem(manifest, pricing)
      return problem === undefined ? { thousandNanoUsd: thousandCost(manifest, pricing), problem } : { problem }
    },
  }
}

/** Returns the cost of a thousand typical requests: that of one has too many zeros to be read. */
function thousandCost({ type }: ModelManifest, pricing: Pricing): number {
  return 1_000 * costNanoUsd(pricing, { ...nothingConsumed, ...typicalUse[type] })
}

/** Returns a model's prices with these overrides. Undefined if it has none. */
function pricesOf(manifest: ModelManifest, overrides: Prices | undefined): ModelPrices | undefined {
  const { prices } = overrides ?? {}
  const { pricing } = prices === undefined ? manifest : withOverrides(manifest, { prices })
  if (pricing === undefined) return undefined
  const { unit: _, ...own } = pricing
  return { ...own, thousandNanoUsd: thousandCost(manifest, pricing) }
}
