import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Entries, Place } from './place.ts'
import type { Translation } from './translation.ts'

/** `const` and `enum`, without the values that `type` rules out; empty when any value will do. */
export function translateValues(
  schema: JsonObject,
  types: readonly string[] | undefined,
  { path }: Place,
  translation: Translation,
): Entries {
  const keyword = schema.const === undefined ? 'enum' : 'const'
  const written = schema.const === undefined ? schema.enum : [schema.const]
  if (written === undefined) return []
  if (!Array.isArray(written)) {
    translation.unsupported(path, 'enum', 'it must be an array of values')
    return []
  }
  const values: JsonValue[] = schema.nullable === true && !written.includes(null) ? [...written, null] : written
  const fitting = values.filter((value) => types === undefined || types.some((type) => isOfType(value, type)))
  const [first] = fitting
  if (first === undefined) {
    translation.unsupported(path, keyword, 'no value fits it and the type')
    return []
  }
  return keyword === 'const' && fitting.length === 1 ? [['const', first]] : [['enum', fitting]]
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return typeof value === type
  }
}
