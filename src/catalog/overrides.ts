/** Overrides of single models in the operator's settings file. */
import {
  freePricing,
  type ModelManifest,
  type PriceOverride,
  type Pricing,
  type SettingsOverride,
} from '../core/model.ts'
import { suggestion } from '../core/nearest.ts'
import { foreignSettings } from '../engines/model-settings.ts'
import { pricesProblem } from './check-prices.ts'

/** Overrides by canonical id. */
export interface Overrides {
  readonly prices?: ReadonlyMap<string, PriceOverride>
  readonly settings?: ReadonlyMap<string, SettingsOverride>
}

/**
 * Returns the manifest with the model's overrides. An invalid one has no effect: a manifest may change while the server
 * runs, and the next start reports the problem.
 */
export function withOverrides(manifest: ModelManifest, { prices, settings }: Overrides): ModelManifest {
  const priced = withPrices(manifest, prices?.get(manifest.id))
  const whole = typeof priced === 'string' ? manifest : priced
  const set = withSettings(whole, settings?.get(manifest.id))
  return typeof set === 'string' ? whole : set
}

/** Returns the problems of the overrides, each with its table. `find` knows ids and aliases. */
export function overrideProblems(
  { prices, settings }: Overrides,
  find: (id: string) => { readonly manifest: ModelManifest; readonly isAlias: boolean } | undefined,
  names: readonly string[],
): string[] {
  const check = <Override>(
    table: string,
    overrides: ReadonlyMap<string, Override> | undefined,
    apply: (manifest: ModelManifest, override: Override) => ModelManifest | string,
  ) =>
    [...(overrides ?? [])].flatMap(([id, override]) => {
      const where = `[${table}."${id}"]`
      const found = find(id)
      if (found === undefined) return `${where}: there is no such model${suggestion(id, names)}`
      const what = table === 'prices' ? 'prices' : 'settings'
      if (found.isAlias) return `${where}: this is an alias; set the ${what} of "${found.manifest.id}"`
      const applied = apply(found.manifest, override)
      return typeof applied === 'string' ? `${where}: ${applied}` : []
    })
  return [...check('prices', prices, withPrices), ...check('models', settings, withSettings)]
}

/** Replaces single prices and keeps the unit. Returns the problem if they are invalid. */
function withPrices(manifest: ModelManifest, override: PriceOverride | undefined): ModelManifest | string {
  if (override === undefined) return manifest
  const own: Pricing = manifest.pricing ?? { unit: freePricing[manifest.type].unit }
  const pricing = { ...own, ...override }
  return pricesProblem(manifest, pricing) ?? { ...manifest, pricing }
}

/** Replaces single settings. Returns the problem if they belong to another engine. */
function withSettings(manifest: ModelManifest, override: SettingsOverride | undefined): ModelManifest | string {
  if (override === undefined) return manifest
  const problem = foreignSettings(manifest.engine, override)
  if (problem !== undefined) return problem
  return { ...manifest, settings: { ...manifest.settings, ...override[manifest.engine] } }
}
