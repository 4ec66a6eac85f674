/** Results of operations for people and other programs. Amounts of money are exact decimal text. */
import { nanoToDecimal } from '../core/money.ts'
import type { AsJson } from './as-json.ts'
import type { OperationName, OperationResult } from './operations.ts'

/** Type of a value in USD: `balanceNanoUsd: 1250000000` becomes `balanceUsd: "1.25"`. */
export type InUsd<Value> = Value extends readonly (infer Item)[]
  ? readonly InUsd<Item>[]
  : Value extends object
    ? {
        readonly [Key in keyof Value as Key extends `${infer Name}NanoUsd`
          ? `${Name}Usd`
          : Key]: Key extends `${string}NanoUsd`
          ? Value[Key] extends number
            ? string
            : string | null
          : InUsd<Value[Key]>
      }
    : Value

/** Result of an operation as printed by `--json` and sent to operators' pages. */
export type OperationJson<Name extends OperationName> = InUsd<AsJson<Awaited<OperationResult<Name>>>>

const nanoSuffix = 'NanoUsd'

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
