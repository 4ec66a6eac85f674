import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { isMultipleOf } from './number-range.ts'

/** Whether a value that is given in full keeps to the limits beside it; undefined: that is not looked at. */
export function fitsBeside(value: JsonValue, schema: JsonObject): boolean | undefined {
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
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'minProperties',
  'maxProperties',
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

function isWithin(size: number, least: JsonValue | undefined, most: JsonValue | undefined): boolean {
  return !(typeof least === 'number' && size < least) && !(typeof most === 'number' && size > most)
}
