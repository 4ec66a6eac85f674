import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { isMultipleOf } from './number-range.ts'
import type { Entries, Place } from './translation.ts'

/** Translates `const` and `enum`, without values that the type or a limit excludes. Empty if any value is allowed. */
export function translateValues(schema: JsonObject, types: readonly string[] | undefined, place: Place): Entries {
  const keyword = schema.const === undefined ? 'enum' : 'const'
  const written = schema.const === undefined ? schema.enum : listed(schema.const, schema.enum)
  if (written === undefined) return []
  if (!Array.isArray(written)) {
    place.unsupported('enum', 'it must be an array of values')
    return []
  }
  const values: JsonValue[] = schema.nullable === true && !written.includes(null) ? [...written, null] : written
  const typed = values.filter((value) => types === undefined || types.some((type) => isOfType(value, type)))
  const fitting = typed.filter((value) => fitsBeside(value, schema) !== false)
  const [first] = fitting
  if (first === undefined) {
    place.unsupported(keyword, 'no value fits it and what stands beside it')
    return []
  }
  if (fitting.some((value) => fitsBeside(value, schema) === undefined)) {
    place.unsupported(keyword, 'its values are not checked for what stands beside it')
  }
  return keyword === 'const' && fitting.length === 1 ? [['const', first]] : [['enum', fitting]]
}

/** Returns the value of a `const`, unless an `enum` beside it lacks it. */
function listed(value: JsonValue, among: JsonValue | undefined): JsonValue[] {
  return Array.isArray(among) && !among.some((other) => Bun.deepEquals(other, value)) ? [] : [value]
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
      return isObject(value)
    default:
      return typeof value === type
  }
}

/** Returns whether a given value satisfies the limits beside it; undefined if that is not checked. */
function fitsBeside(value: JsonValue, schema: JsonObject): boolean | undefined {
  if (typeof value === 'number') return fitsBounds(value, schema)
  if (typeof value === 'string') {
    if (schema.pattern !== undefined) return undefined
    return isWithin([...value].length, schema.minLength, schema.maxLength)
  }
  if (typeof value !== 'object' || value === null) return true
  const keywords = Array.isArray(value) ? ofArrays : ofObjects
  return keywords.some((keyword) => schema[keyword] !== undefined) ? undefined : true
}

const ofArrays = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']
const ofObjects = [
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties'],
]

function fitsBounds(value: number, schema: JsonObject): boolean {
  const { multipleOf: step } = schema
  if (step !== undefined && !(typeof step === 'number' && isMultipleOf(value, step))) return false
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema
  return (
    isWithin(value, schema.minimum, schema.maximum) &&
    (typeof above !== 'number' || value > above) &&
    (typeof below !== 'number' || value < below)
  )
}

function isWithin(size: number, minimum: JsonValue | undefined, maximum: JsonValue | undefined): boolean {
  return !(typeof minimum === 'number' && size < minimum) && !(typeof maximum === 'number' && size > maximum)
}
