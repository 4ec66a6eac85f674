import type { OperationJson } from '../../../src/operations/money-text.ts'
import type { texts } from '../../texts/system-texts.ts'

export type Priced = OperationJson<'prices-list'>['models'][number]
export type PriceName = keyof typeof texts.system.priceNames

/** Prices in display order. */
export const priceNames = ['input', 'cached_input', 'output', 'price'] as const satisfies readonly PriceName[]

const fieldOf = { input: 'inputUsd', cached_input: 'cachedInputUsd', output: 'outputUsd', price: 'priceUsd' } as const

/** Returns one price as decimal text. Undefined if the model does not have it. */
export function usdOf(prices: Priced['inForce'], name: PriceName): string | undefined {
  return prices?.[fieldOf[name]] ?? undefined
}
