import type { JsonObject } from '../../../core/json.ts'
import { fromEntries } from './keywords.ts'
import { numberRange } from './number-range.ts'
import type { Entries, Place } from './translation.ts'

const largest = Number.MAX_SAFE_INTEGER

/** Translates the keywords of numbers. Fraction bounds and multiples stay unchanged if an engine can enforce them. */
export function translateNumber(schema: JsonObject, isAnyNumber: boolean, place: Place): Entries {
  const limits = limitsOf(schema, place)
  if (isAnyNumber || (schema.multipleOf ?? 1) !== 1) {
    const range = numberRange(limits, !isAnyNumber)
    const isHeld = Object.keys(limits).length === 0 || !('problem' in range)
    if ('problem' in range && !isHeld) place.unsupported(range.keyword, range.problem)
    // The bounds of integers are enforced nevertheless.
    if (isHeld || isAnyNumber) return Object.entries(limits)
  }
  return [['multipleOf', limits.multipleOf], ...integerBounds(limits, place)]
}

/** Returns the limits that are numbers. Beyond the exact range of a double, clients mean "no bound". */
function limitsOf(schema: JsonObject, place: Place): JsonObject {
  const read = (keyword: string): number | undefined => {
    const bound = schema[keyword]
    if (typeof bound === 'number') return Math.abs(bound) < largest ? bound : undefined
    if (bound !== undefined && typeof bound !== 'boolean') {
      place.unsupported(keyword, 'it must be a number')
    }
    return undefined
  }
  const [minimum, maximum] = [read('minimum'), read('maximum')]
  const [above, below] = [read('exclusiveMinimum'), read('exclusiveMaximum')]
  // Draft 4 wrote `exclusiveMinimum: true` beside `minimum`.
  const [isAbove, isBelow] = [schema.exclusiveMinimum === true, schema.exclusiveMaximum === true]
  return fromEntries([
    ['minimum', isAbove ? undefined : minimum],
    ['maximum', isBelow ? undefined : maximum],
    ['exclusiveMinimum', isAbove ? minimum : above],
    ['exclusiveMaximum', isBelow ? maximum : below],
    ['multipleOf', schema.multipleOf],
  ])
}

/** Returns both bounds, inclusive. */
function integerBounds(limits: JsonObject, place: Place): Entries {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = limits
  const least = Math.max(Math.ceil(Number(minimum ?? -Infinity)), Math.floor(Number(above ?? -Infinity)) + 1)
  const most = Math.min(Math.floor(Number(maximum ?? Infinity)), Math.ceil(Number(below ?? Infinity)) - 1)
  if (least > most) {
    place.unsupported('minimum', 'it is above the maximum')
    return []
  }
  // The converter is exact with two bounds; with a single one only up to 9.
  return [
    ['minimum', least > -Infinity ? least : most < 0 ? -largest : undefined],
    ['maximum', most < Infinity ? most : least > 9 ? largest : undefined],
  ]
}
