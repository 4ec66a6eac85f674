import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { fromEntries } from './keywords.ts'
import { numberRange } from './number-range.ts'
import type { Entries, Place, Translation } from './translation.ts'

const largest = Number.MAX_SAFE_INTEGER

/** The keywords of numbers. Limits of fractions and multiples stay as they are, if an engine can hold them. */
export function translateNumber(
  schema: JsonObject,
  isAnyNumber: boolean,
  { path }: Place,
  translation: Translation,
): Entries {
  const limits = limitsOf(schema, path, translation)
  if (isAnyNumber || (schema.multipleOf ?? 1) !== 1) {
    const range = numberRange(limits, !isAnyNumber)
    const isHeld = Object.keys(limits).length === 0 || !('problem' in range)
    if ('problem' in range && !isHeld) translation.unsupported(path, range.keyword, range.problem)
    // The bounds of integers are held all the same.
    if (isHeld || isAnyNumber) return Object.entries(limits)
  }
  return [['multipleOf', limits.multipleOf], ...integerBounds(limits, path, translation)]
}

/** The limits that are numbers. Beyond what a double holds exactly, clients mean "no bound". */
function limitsOf(schema: JsonObject, path: string, translation: Translation): JsonObject {
  const read = (keyword: string): number | undefined => {
    const bound = schema[keyword]
    if (typeof bound === 'number') return Math.abs(bound) < largest ? bound : undefined
    if (bound !== undefined && typeof bound !== 'boolean') {
      translation.unsupported(path, keyword, 'it must be a number')
    }
    return undefined
  }
  const [minimum, maximum] = [read('minimum'), read('maximum')]
  const [above, below] = [read('exclusiveMinimum'), read('exclusiveMaximum')]
  // Draft 4 wrote `exclusiveMinimum: true` beside `minimum`.
  const [isAbove, isBelow] = [schema.exclusiveMinimum === true, schema.exclusiveMaximum === true]
  const limits: readonly (readonly [string, JsonValue | undefined])[] = [
    ['minimum', isAbove ? undefined : minimum],
    ['maximum', isBelow ? undefined : maximum],
    ['exclusiveMinimum', isAbove ? minimum : above],
    ['exclusiveMaximum', isBelow ? maximum : below],
    ['multipleOf', schema.multipleOf],
  ]
  return fromEntries(limits)
}

/** Both bounds inclusive. */
function integerBounds(limits: JsonObject, path: string, translation: Translation): Entries {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = limits
  const lower = [
    ...(typeof minimum === 'number' ? [Math.ceil(minimum)] : []),
    ...(typeof above === 'number' ? [Math.floor(above) + 1] : []),
  ]
  const upper = [
    ...(typeof maximum === 'number' ? [Math.floor(maximum)] : []),
    ...(typeof below === 'number' ? [Math.ceil(below) - 1] : []),
  ]
  const least = lower.length === 0 ? undefined : Math.max(...lower)
  const most = upper.length === 0 ? undefined : Math.min(...upper)
  if (least !== undefined && most !== undefined && least > most) {
    translation.unsupported(path, 'minimum', 'it is above the maximum')
    return []
  }
  // The converter is exact where both bounds are given; of single ones only for those up to 9.
  return [
    ['minimum', least ?? (most !== undefined && most < 0 ? -largest : undefined)],
    ['maximum', most ?? (least !== undefined && least > 9 ? largest : undefined)],
  ]
}
