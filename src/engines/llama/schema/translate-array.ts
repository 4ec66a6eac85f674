import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { isImpossible } from './keywords.ts'
import { lowerCount, upperCount } from './translate-counts.ts'
import { translatePart } from './translate-part.ts'
import type { Translation } from './translation.ts'
import { below, type Entries, type Place } from './translation.ts'

/** Longest list of single items: each is a schema of its own. */
const maxTupleLength = 64

/** The keywords of arrays. */
export async function translateArray(schema: JsonObject, place: Place, translation: Translation): Promise<Entries> {
  if (schema.uniqueItems === true) translation.unsupported(place.path, 'uniqueItems')
  const least = lowerCount(schema, 'minItems', place, translation)
  const most = upperCount(schema, 'maxItems', least, place, translation)
  const tuple = Array.isArray(schema.items) ? schema.items : schema.prefixItems
  if (Array.isArray(tuple)) return translateTuple(schema, tuple, { least, most }, place, translation)
  if (schema.items === undefined) return [...counts(least, most)]
  if (!isImpossible(schema.items)) {
    return [['items', await translatePart(schema.items, below(place, 'items'), translation)], ...counts(least, most)]
  }
  if (least > 0) translation.unsupported(place.path, 'items', 'items are required and not allowed')
  return [...counts(0, 0)]
}

/** The converter's tuples are of one length: as many items as are named, or as must be. */
async function translateTuple(
  schema: JsonObject,
  tuple: readonly JsonValue[],
  { least, most }: { readonly least: number; readonly most: number | undefined },
  place: Place,
  translation: Translation,
): Promise<Entries> {
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items
  const wanted = Math.max(least, Math.min(tuple.length, most ?? tuple.length))
  const length = Math.min(wanted, maxTupleLength)
  const isPossible = length <= tuple.length || !isImpossible(rest ?? true)
  if (wanted > length || !isPossible) {
    translation.unsupported(place.path, 'minItems', `a list of single items ends after ${length}`)
  }
  const items = Array.from({ length: isPossible ? length : tuple.length }, (_, index) => tuple[index] ?? rest ?? true)
  const translated: JsonObject[] = []
  for (const [index, item] of items.entries()) {
    translated.push(await translatePart(item, below(place, `prefixItems[${index}]`), translation))
  }
  return [['prefixItems', translated]]
}

function counts(least: number, most: number | undefined): Entries {
  return [
    ['minItems', least === 0 ? undefined : least],
    ['maxItems', most],
  ]
}
