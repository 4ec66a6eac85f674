import { nanoToDecimal } from '../core/money.ts'
import { type Io, printJson } from './io.ts'

/** Exact, for people: `$1.25`, `-$0.000000001`. */
export function dollars(nanoUsd: number): string {
  return nanoUsd < 0 ? `-$${nanoToDecimal(-nanoUsd)}` : `$${nanoToDecimal(nanoUsd)}`
}

const nanoSuffix = 'NanoUsd'

/** Prints JSON in which amounts are exact decimal text: `balanceNanoUsd: 1250000000` becomes `"balanceUsd": "1.25"`. */
export function printMoneyJson(io: Io, value: unknown): void {
  printJson(io, inUsd(value))
}

export function inUsd(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inUsd)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (!key.endsWith(nanoSuffix)) return [key, inUsd(part)]
      return [`${key.slice(0, -nanoSuffix.length)}Usd`, typeof part === 'number' ? nanoToDecimal(part) : part]
    }),
  )
}
