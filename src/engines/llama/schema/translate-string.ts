import type { JsonObject } from '../../../core/json.ts'
import { translatePattern } from './pattern/translate-pattern.ts'
import { heldPattern, isHeldFormat } from './string-formats.ts'
import { countLimits, counts } from './translate-array.ts'
import type { Entries, Place } from './translation.ts'

/** The keywords of strings. The engine holds formats: here they are only checked. */
export function translateString(schema: JsonObject, place: Place): Entries {
  const limits = countLimits(schema, 'Length', place)
  const { format, pattern } = schema
  if (isHeldFormat(format) && (pattern !== undefined || heldPattern(format, limits) === undefined)) {
    place.unsupported('format', 'together with a pattern, or within these lengths')
  }
  const lengths = counts('Length', limits.least, limits.most)
  if (pattern === undefined) return lengths
  const result = typeof pattern === 'string' ? translatePattern(pattern, limits) : { problem: 'it is no text' }
  if ('problem' in result) {
    place.unsupported('pattern', result.problem)
    return lengths
  }
  if (!result.holdsLengths) place.unsupported('pattern', 'together with a minLength or maxLength')
  // The converter reads a pattern alone.
  return [['pattern', result.pattern], ...lengths]
}
