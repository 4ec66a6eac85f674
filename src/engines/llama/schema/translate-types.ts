import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { isHeldFormat } from './string-formats.ts'
import type { Place } from './translation.ts'

const known = new Set(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'])

/** Keywords that imply the type of a schema without `type`, in the converter's order. */
const telling: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'patternProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems']],
  ['string', ['pattern', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** Returns the types that a value may have, each once; undefined for any. Never empty. */
export function translateTypes(schema: JsonObject, place: Place): string[] | undefined {
  const types = new Set<string>()
  if (schema.type !== undefined) {
    // `flat` loses the element type of read-only arrays.
    const written = [schema.type].flat() as JsonValue[]
    if (written.length === 0) place.unsupported('type', 'it names none')
    for (const each of written) {
      // One vendor writes STRING.
      const name = typeof each === 'string' ? each.toLowerCase() : ''
      if (known.has(name)) types.add(name)
      else place.unsupported('type', `${JSON.stringify(each).slice(0, 50)} is none of its values`)
    }
  }
  if (types.size === 0 && schema.enum === undefined && schema.const === undefined) {
    const told = telling.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined))
    if (told !== undefined) types.add(told[0])
    else if (isHeldFormat(schema.format)) types.add('string')
  }
  if (types.size === 0) return undefined
  if (schema.nullable === true) types.add('null')
  // An integer is a number.
  if (types.has('number')) types.delete('integer')
  return [...types]
}
