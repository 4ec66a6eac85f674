/** `[prices."org/model"]` of the TOML file: prices that take the place of those in the models' manifests. */
import type { PriceOverride } from './core/model.ts'
import { usdToNano } from './core/money.ts'
import { suggestion } from './core/nearest.ts'

const fields = {
  input: 'inputNanoUsd',
  cached_input: 'cachedInputNanoUsd',
  output: 'outputNanoUsd',
  price: 'priceNanoUsd',
} as const satisfies Record<string, keyof PriceOverride>

const fieldNames = Object.keys(fields)
const mostUsd = 1_000_000

/**
 * Prices by model id, from the parsed TOML, and what is wrong with it: at most one of the two. Whether the models exist and
 * have such prices only the catalog knows.
 */
export function readPrices(toml: unknown): { prices: ReadonlyMap<string, PriceOverride> } | { problem: string } {
  const prices = new Map<string, PriceOverride>()
  if (!isTable(toml)) return { problem: 'prices must be tables such as [prices."org/model"]' }
  for (const [id, table] of Object.entries(toml)) {
    const where = `[prices."${id}"]`
    if (!isTable(table)) return { problem: `${where} must be a table with ${fieldNames.join(', ')}` }
    const override: { -readonly [Field in keyof PriceOverride]: PriceOverride[Field] } = {}
    for (const [name, usd] of Object.entries(table)) {
      if (!isField(name)) return { problem: `${where}: unknown field "${name}"${suggestion(name, fieldNames)}` }
      if (typeof usd !== 'number' || !(usd >= 0 && usd <= mostUsd)) {
        return { problem: `${where}: ${name} must be a price in USD, 0 or more, not ${JSON.stringify(usd)}` }
      }
      override[fields[name]] = usdToNano(usd)
    }
    prices.set(id, Object.freeze(override))
  }
  return { prices: Object.freeze(prices) }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isField(name: string): name is keyof typeof fields {
  return Object.hasOwn(fields, name)
}
