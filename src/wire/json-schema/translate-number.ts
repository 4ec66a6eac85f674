import type { JsonObject } from '../../core/json.ts'
import type { Entries, Place } from './place.ts'
import type { Translation } from './translation.ts'

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const
const largest = Number.MAX_SAFE_INTEGER

/** The keywords of numbers. Bounds are held for integers alone. */
export function translateNumber(
  schema: JsonObject,
  isAnyNumber: boolean,
  { path }: Place,
  translation: Translation,
): Entries {
  const { multipleOf } = schema
  if (multipleOf !== undefined && !(multipleOf === 1 && !isAnyNumber)) translation.unsupported(path, 'multipleOf')
  const hints: Entries = [['multipleOf', multipleOf]]
  if (!isAnyNumber) return [...hints, ...integerBounds(schema, path, translation)]
  for (const keyword of bounds) {
    const bound = schema[keyword]
    if (bound === undefined) continue
    if (isFar(bound)) continue
    translation.unsupported(path, keyword, "an answer can be held to the bounds of type 'integer' only")
    hints.push([keyword, bound])
  }
  return hints
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
