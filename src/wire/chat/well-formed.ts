import type { JsonObject, JsonValue } from '../../core/json.ts'
import { fromEntries, isObject } from '../json-schema/keywords.ts'

/**
 * The same with each half of a surrogate pair, in names and texts, replaced by U+FFFD: such text cannot be told to the
 * engine. The value must not be nested deeply.
 */
export function wellFormed(object: JsonObject): JsonObject {
  // JSON text writes lone halves as escapes: without any, there is nothing to do.
  return /\\ud[89a-f]/.test(JSON.stringify(object)) ? repairObject(object) : object
}

function repairObject(object: JsonObject): JsonObject {
  return fromEntries(Object.entries(object).map(([name, value]) => [name.toWellFormed(), repair(value)]))
}

function repair(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(repair)
  return isObject(value) ? repairObject(value) : value
}
