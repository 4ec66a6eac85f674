/** Section `[prices."org/model"]` of the TOML file: prices that replace the manifests' prices. */
import type { PriceOverride } from '../core/model.ts'
import { usdToNano } from '../core/money.ts'
import { suggestion } from '../core/nearest.ts'
import { ConfigError } from './kinds.ts'

/** Price fields by their names in the file. */
export const priceFields = {
  input: 'inputNanoUsd',
  cached_input: 'cachedInputNanoUsd',
  output: 'outputNanoUsd',
  price: 'priceNanoUsd',
} as const satisfies Record<string, keyof PriceOverride>

const fieldNames = Object.keys(priceFields)
const maximumUsd = 1_000_000

/**
 * Reads prices by model id. Only the catalog can check whether the models exist and have such prices. Throws
 * ConfigError.
 */
export function readPrices(toml: unknown, file: string): ReadonlyMap<string, PriceOverride> {
  const prices = new Map<string, PriceOverride>()
  if (!isTable(toml)) throw new ConfigError(`${file}: prices must be tables such as [prices."org/model"]`)
  for (const [id, table] of Object.entries(toml)) {
    const where = `${file}: [prices."${id}"]`
    if (!isTable(table)) throw new ConfigError(`${where} must be a table with ${fieldNames.join(', ')}`)
    const override: { -readonly [Field in keyof PriceOverride]: PriceOverride[Field] } = {}
    for (const [name, usd] of Object.entries(table)) {
      if (!isField(name)) throw new ConfigError(`${where}: unknown field "${name}"${suggestion(name, fieldNames)}`)
      if (typeof usd !== 'number' || !(usd >= 0 && usd <= maximumUsd)) {
        throw new ConfigError(`${where}: ${name} must be a price in USD, 0 or more, not ${JSON.stringify(usd)}`)
      }
      override[priceFields[name]] = usdToNano(usd)
    }
    prices.set(id, Object.freeze(override))
  }
  return Object.freeze(prices)
}

export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isField(name: string): name is keyof typeof priceFields {
  return Object.hasOwn(priceFields, name)
}
