import type { JsonObject } from '../../core/json.ts'
import { translatePattern } from './pattern/translate-pattern.ts'
import type { Entries, Place } from './place.ts'
import { lowerCount, upperCount } from './translate-counts.ts'
import type { Translation } from './translation.ts'

/** The keywords of strings. */
export function translateString(schema: JsonObject, place: Place, translation: Translation): Entries {
  const least = lowerCount(schema, 'minLength', place, translation)
  const most = upperCount(schema, 'maxLength', least, place, translation)
  const lengths: Entries = [
    ['minLength', least === 0 ? undefined : least],
    ['maxLength', most],
  ]
  if (schema.pattern === undefined) return lengths
  const result =
    typeof schema.pattern === 'string'
      ? translatePattern(schema.pattern, { least, most })
      : { problem: 'it is no text' }
  if ('problem' in result) {
    translation.unsupported(place.path, 'pattern', result.problem)
    return lengths
  }
  if (!result.holdsLengths) translation.unsupported(place.path, 'pattern', 'together with a minLength or maxLength')
  // The compiler reads a pattern alone.
  return [['pattern', result.pattern], ...lengths]
}
