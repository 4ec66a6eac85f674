import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { fromEntries } from './keywords.ts'
import { numberRange } from './number-range.ts'
import type { Entries, Place, Translation } from './translation.ts'

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const
const largest = Number.MAX_SAFE_INTEGER

/** The keywords of numbers: of fractions and multiples as they are, if an engine can hold them. */
export function translateNumber(
  schema: JsonObject,
  isAnyNumber: boolean,
  { path }: Place,
  translation: Translation,
): Entries {
  const isPlain = (schema.multipleOf ?? 1) === 1
  if (!isAnyNumber && isPlain) {
    return [['multipleOf', schema.multipleOf], ...integerBounds(schema, path, translation)]
  }
  const limits = withoutDraft4(schema, path, translation)
  const range = numberRange(limits, !isAnyNumber)
  if (Object.keys(limits).length > 0 && 'problem' in range) {
    translation.unsupported(path, range.keyword, range.problem)
    // The bounds of integers are held all the same.
    if (!isAnyNumber) return [['multipleOf', limits.multipleOf], ...integerBounds(schema, path, translation)]
  }
  return Object.entries(limits)
}

/** Draft 4 wrote `exclusiveMinimum: true` beside `minimum`. Bounds that are none are left out. */
function withoutDraft4(schema: JsonObject, path: string, translation: Translation): JsonObject {
  const limits = new Map<string, JsonValue>()
  for (const keyword of bounds) {
    const bound = schema[keyword]
    if (typeof bound === 'number' && !isFar(bound)) limits.set(keyword, bound)
    else if (bound !== undefined && typeof bound !== 'boolean' && typeof bound !== 'number') {
      translation.unsupported(path, keyword, 'it must be a number')
    }
  }
  const exclusive = [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const
  for (const [bound, mark] of exclusive) {
    const value = limits.get(bound)
    if (schema[mark] !== true || value === undefined) continue
    limits.delete(bound)
    limits.set(mark, value)
  }
  if (schema.multipleOf !== undefined) limits.set('multipleOf', schema.multipleOf)
  return fromEntries([...limits])
}

/** Both bounds inclusive. */
function integerBounds(schema: JsonObject, path: string, translation: Translation): Entries {
  const read = (keyword: (typeof bounds)[number]): number | undefined => {
    const bound = schema[keyword]
    if (bound === undefined || isFar(bound)) return undefined
    if (typeof bound === 'number') return bound
    // Draft 4 wrote `exclusiveMinimum: true` beside `minimum`.
    if (typeof bound !== 'boolean') translation.unsupported(path, keyword, 'it must be a number')
    return undefined
  }
  const lower = [read('minimum'), above(read('exclusiveMinimum'))].filter((bound) => bound !== undefined)
  const upper = [read('maximum'), under(read('exclusiveMaximum'))].filter((bound) => bound !== undefined)
  const minimum =
    lower.length === 0 ? undefined : Math.ceil(Math.max(...lower)) + (schema.exclusiveMinimum === true ? 1 : 0)
  const maximum =
    upper.length === 0 ? undefined : Math.floor(Math.min(...upper)) - (schema.exclusiveMaximum === true ? 1 : 0)
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    translation.unsupported(path, 'minimum', 'it is above the maximum')
    return []
  }
  return closed(minimum, maximum)
}

/** The compiler is exact where both bounds are given; of single ones only for those up to 9. */
function closed(minimum: number | undefined, maximum: number | undefined): Entries {
  return [
    ['minimum', minimum ?? (maximum !== undefined && maximum < 0 ? -largest : undefined)],
    ['maximum', maximum ?? (minimum !== undefined && minimum > 9 ? largest : undefined)],
  ]
}

/** Beyond what a double holds exactly, clients mean "no bound". */
function isFar(bound: unknown): boolean {
  return typeof bound === 'number' && Math.abs(bound) >= largest
}

function above(bound: number | undefined): number | undefined {
  return bound === undefined ? undefined : Math.floor(bound) + 1
}

function under(bound: number | undefined): number | undefined {
  return bound === undefined ? undefined : Math.ceil(bound) - 1
}
