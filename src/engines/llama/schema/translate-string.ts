import type { JsonObject } from '../../../core/json.ts'
import { translatePattern } from './pattern/translate-pattern.ts'
import { heldPattern, isHeldFormat } from './string-formats.ts'
import { lowerCount, upperCount } from './translate-counts.ts'
import type { Entries, Place, Translation } from './translation.ts'

/** The keywords of strings. The engine holds formats: here they are only checked. */
export function translateString(schema: JsonObject, place: Place, translation: Translation): Entries {
  const least = lowerCount(schema, 'minLength', place, translation)
  const most = upperCount(schema, 'maxLength', least, place, translation)
  const lengths: Entries = [
    ['minLength', least === 0 ? undefined : least],
    ['maxLength', most],
  ]
  const isFormatHeld = schema.pattern === undefined && heldPattern(schema.format, { least, most }) !== undefined
  if (isHeldFormat(schema.format) && !isFormatHeld) {
    translation.unsupported(place.path, 'format', 'together with a pattern, or within these lengths')
  }
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
  // The converter reads a pattern alone.
  return [['pattern', result.pattern], ...lengths]
}
