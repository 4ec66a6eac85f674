import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { isImpossible } from './keywords.ts'
import { translatePart } from './translate-part.ts'
import type { Entries, Place } from './translation.ts'

/** Maximum items with separate schemas. */
const maxTupleLength = 64

/** Translates the keywords of arrays. */
export async function translateArray(schema: JsonObject, place: Place): Promise<Entries> {
  if (schema.uniqueItems === true) place.unsupported('uniqueItems')
  const { least, most } = countLimits(schema, 'Items', place)
  const tuple = Array.isArray(schema.items) ? schema.items : schema.prefixItems
  if (Array.isArray(tuple)) return translateTuple(schema, tuple, { least, most }, place)
  const items = schema.items ?? schema.unevaluatedItems
  if (items === undefined) return counts('Items', least, most)
  if (!isImpossible(items)) {
    return [['items', await translatePart(items, place.below('items'))], ...counts('Items', least, most)]
  }
  if (least > 0) place.unsupported('items', 'items are required and not allowed')
  return counts('Items', 0, 0)
}

interface CountLimits {
  readonly least: number
  readonly most: number | undefined
}

/** Translates a tuple. The converter's tuples have one length: as many items as are named or required. */
async function translateTuple(
  schema: JsonObject,
  tuple: readonly JsonValue[],
  { least, most }: CountLimits,
  place: Place,
): Promise<Entries> {
  const rest = Array.isArray(schema.items) ? schema.additionalItems : (schema.items ?? schema.unevaluatedItems)
  const wanted = Math.max(least, Math.min(tuple.length, most ?? tuple.length))
  const length = Math.min(wanted, maxTupleLength)
  const isPossible = length <= tuple.length || !isImpossible(rest ?? true)
  if (wanted > length || !isPossible) {
    place.unsupported('minItems', `a list of single items ends after ${length}`)
  }
  const items = Array.from({ length: isPossible ? length : tuple.length }, (_, index) => tuple[index] ?? rest ?? true)
  const translated: JsonObject[] = []
  for (const [index, item] of items.entries()) {
    translated.push(await translatePart(item, place.below(`prefixItems[${index}]`)))
  }
  return [['prefixItems', translated]]
}

/**
 * Returns the minimum and maximum items or characters: 0 and undefined if there is no limit or it cannot be enforced.
 */
export function countLimits(schema: JsonObject, what: 'Items' | 'Length', place: Place): CountLimits {
  const { [`min${what}`]: minimum = 0, [`max${what}`]: maximum } = schema
  const least = isCount(minimum) ? minimum : 0
  if (!isCount(minimum)) place.unsupported(`min${what}`, 'it must be a whole number, not below 0')
  // No answer is as long, so the limit is meaningless.
  if (maximum === undefined || (Number.isInteger(maximum) && Number(maximum) > largestCount)) {
    return { least, most: undefined }
  }
  if (isCount(maximum) && maximum >= least) return { least, most: maximum }
  place.unsupported(`max${what}`, `it must be a whole number from ${least}`)
  return { least, most: undefined }
}

export function counts(what: 'Items' | 'Length', least: number, most: number | undefined): Entries {
  return [
    [`min${what}`, least === 0 ? undefined : least],
    [`max${what}`, most],
  ]
}

/** Characters or items beyond any answer. */
const largestCount = 2 ** 31 - 2

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= largestCount
}
