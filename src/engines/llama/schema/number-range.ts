import type { JsonValue } from '../../../core/json.ts'

/** Keywords of a JSON schema that limit numbers. Exclusive bounds are numbers. */
export interface NumberLimits {
  readonly minimum?: JsonValue | undefined
  readonly maximum?: JsonValue | undefined
  readonly exclusiveMinimum?: JsonValue | undefined
  readonly exclusiveMaximum?: JsonValue | undefined
  readonly multipleOf?: JsonValue | undefined
}

/** Numbers that a grammar can hold: multiples of `step` from `minimum` to `maximum`, all in units of the last digit. */
export interface NumberRange {
  /** Digits after the point. */
  readonly fractionDigits: number
  readonly minimum: bigint
  readonly maximum: bigint
  readonly step: bigint
}

type NumberRangeResult =
  | NumberRange
  /** Keyword that the grammar cannot enforce, and the reason. */
  | { readonly keyword: keyof NumberLimits; readonly problem: string }

/**
 * Digits up to which different decimal numbers are different doubles, so bounds hold for the number that a client
 * reads.
 */
const exactDigits = 15

/** Largest factor: more is rarely meant, and makes the grammar large. */
const factorLimit = 100
const zerosLimit = 9

/** Most states of a grammar: remainders times digits. */
const statesLimit = 500

/**
 * Returns the numbers within the limits that can be written in `exactDigits` digits without an exponent: perhaps fewer
 * than the schema allows, but no others. Integers have no fraction digits.
 */
export function numberRange(limits: NumberLimits, isInteger: boolean): NumberRangeResult {
  const { multipleOf, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = limits
  const bounds = [minimum, exclusiveMinimum, maximum, exclusiveMaximum].filter((bound) => typeof bound === 'number')
  const grid = multipleOf === undefined ? plainGrid(bounds, isInteger) : gridOf(multipleOf, isInteger)
  if (grid === undefined) {
    const problem = `it must be a whole number up to ${factorLimit}, or one times a power of ten`
    return { keyword: 'multipleOf', problem }
  }
  const { fractionDigits, step, limit } = grid
  const units = (bound: JsonValue | undefined, direction: 'up' | 'down') =>
    typeof bound === 'number' ? scaled(bound, fractionDigits, direction) : undefined
  const [above, below] = [units(exclusiveMinimum, 'down'), units(exclusiveMaximum, 'up')]
  const least = [-limit, units(minimum, 'up') ?? -limit, above === undefined ? -limit : above + 1n].reduce(max)
  const most = [limit, units(maximum, 'down') ?? limit, below === undefined ? limit : below - 1n].reduce(min)
  if (roundUp(least, step) > most) {
    const keyword = minimum === undefined ? 'exclusiveMinimum' : 'minimum'
    return { keyword, problem: `no number of up to ${exactDigits} digits fits it and what stands beside it` }
  }
  return { fractionDigits, minimum: least, maximum: most, step }
}

/** Returns whether the number is a multiple in decimal arithmetic. */
export function isMultipleOf(value: number, factor: number): boolean {
  const [one, other] = [decimalOf(value), decimalOf(factor)]
  const exponent = Math.min(one.exponent, other.exponent)
  if (other.digits === 0n || Math.max(one.exponent, other.exponent) - exponent > 700) return false
  const units = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent)
  return units(one) % units(other) === 0n
}

interface Grid {
  readonly fractionDigits: number
  readonly step: bigint
  /** Largest number, in units. */
  readonly limit: bigint
}

/** Returns a grid with as many fraction digits as keep numbers near the bounds exact. */
function plainGrid(bounds: readonly number[], isInteger: boolean): Grid {
  const whole = Math.max(...bounds.map((bound) => String(Math.trunc(Math.min(Math.abs(bound), 1e15))).length), 1)
  const fractionDigits = isInteger ? 0 : Math.max(0, exactDigits - whole)
  return { fractionDigits, step: 1n, limit: 10n ** BigInt(exactDigits + fractionDigits) - 1n }
}

function gridOf(multipleOf: JsonValue, isInteger: boolean): Grid | undefined {
  if (typeof multipleOf !== 'number' || !(multipleOf > 0)) return undefined
  const { digits, exponent } = decimalOf(multipleOf)
  if (digits > factorLimit || Math.abs(exponent) > zerosLimit || (isInteger && exponent < 0)) return undefined
  const fractionDigits = Math.max(0, -exponent)
  const step = digits * 10n ** BigInt(exponent + fractionDigits)
  const digitsInAll = Math.min(exactDigits, Math.floor(statesLimit / withoutTwosAndFives(Number(digits))))
  return { fractionDigits, step, limit: 10n ** BigInt(digitsInAll) - 1n }
}

/** Returns the factor without twos and fives. Remainders by those depend only on the last digits. */
function withoutTwosAndFives(factor: number): number {
  for (const prime of [2, 5]) if (factor % prime === 0) return withoutTwosAndFives(factor / prime)
  return factor
}

interface Decimal {
  /** Digits without zeros at the end. */
  readonly digits: bigint
  readonly exponent: number
}

/** Returns the shortest decimal number of this double. */
function decimalOf(value: number): Decimal {
  const [, sign = '', whole = '0', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const text = whole + fraction
  const digits = text.replace(/0+$/, '')
  return {
    digits: BigInt(`${sign === '-' && digits !== '' ? '-' : ''}${digits === '' ? '0' : digits}`),
    exponent: digits === '' ? 0 : Number(power) - fraction.length + text.length - digits.length,
  }
}

/** Returns the value in units of the last digit, rounded. A value beyond any limit stays that large. */
function scaled(value: number, fractionDigits: number, direction: 'up' | 'down'): bigint {
  const { digits, exponent } = decimalOf(Math.max(-1e30, Math.min(value, 1e30)))
  const shift = exponent + fractionDigits
  if (shift >= 0) return digits * 10n ** BigInt(shift)
  const unit = 10n ** BigInt(-shift)
  return direction === 'up' ? roundUp(digits, unit) / unit : -roundUp(-digits, unit) / unit
}

/** Returns the smallest multiple of `step` that is not less. */
function roundUp(value: bigint, step: bigint): bigint {
  const rest = value % step
  return rest > 0n ? value - rest + step : value - rest
}

export function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

export function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
