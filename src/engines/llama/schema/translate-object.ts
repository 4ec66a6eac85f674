import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { fromEntries, isImpossible } from './keywords.ts'
import { schemaLimits } from './schema-limits.ts'
import { translatePart } from './translate-part.ts'
import type { Entries, Place } from './translation.ts'

/** Property names that keep the converter from excluding further properties correctly: it then permits none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const unsafeName = /[\\\]^"\u0000-\u001f\u007f]/

/** Translates the keywords of objects. */
export async function translateObject(schema: JsonObject, place: Place): Promise<Entries> {
  const written = propertiesOf(schema, place)
  const additional = await additionalOf(schema, place)
  const properties = new Map<string, JsonObject>()
  for (const [name, value] of written) {
    if (isImpossible(value)) {
      // The converter cannot exclude single names from further properties.
      if (additional !== undefined && additional !== false) place.unsupported('properties')
      continue
    }
    properties.set(name, await translatePart(value, place.below(`properties.${name}`)))
  }
  const required = requiredOf(schema, place).filter((name) => {
    if (properties.has(name)) return true
    if (written.has(name) || additional === false) {
      place.unsupported('required', `property '${name.slice(0, 50)}' is required and not allowed`)
      return false
    }
    // The converter supports required properties only if they are named.
    properties.set(name, isObject(additional) ? additional : {})
    return true
  })
  if (Number(schema.minProperties ?? 0) > required.length) place.unsupported('minProperties')
  if (schema.maxProperties !== undefined) place.unsupported('maxProperties')
  const isOpen = schema.properties === undefined && required.length > 0
  // The properties left to the model must be possible.
  const isCut = isObject(schema.properties) && written.size < Object.keys(schema.properties).filter(Boolean).length
  const open = isCut ? true : (additional ?? (isOpen ? true : undefined))
  return [
    ['properties', schema.properties === undefined && properties.size === 0 ? undefined : fromEntries([...properties])],
    ['required', required.length === 0 ? undefined : required],
    ['additionalProperties', [...properties.keys()].some((name) => unsafeName.test(name)) ? false : open],
  ]
}

/** Returns the properties. Too many of them, and names that the converter cannot hold, are left to the model. */
function propertiesOf(schema: JsonObject, place: Place): Map<string, JsonValue> {
  const entries = isObject(schema.properties) ? Object.entries(schema.properties) : []
  if (isOverLimit(entries.length, place)) return new Map()
  const { propertyNameCharacters: longest } = schemaLimits
  const named = entries.filter(([name]) => {
    if (name === '') place.unsupported('properties', 'a property needs a name')
    if (name.length > longest)
      place.unsupported('properties', `a property's name may have at most ${longest} characters`)
    return name !== '' && name.length <= longest
  })
  return new Map(named)
}

function requiredOf(schema: JsonObject, place: Place): string[] {
  // Older drafts mark a single property with `required: true`.
  if (!Array.isArray(schema.required)) return []
  const names = new Set(schema.required.filter((name): name is string => typeof name === 'string' && name !== ''))
  return isOverLimit(names.size, place) ? [] : [...names]
}

function isOverLimit(count: number, place: Place): boolean {
  const { propertiesPerObject: most } = schemaLimits
  if (count > most) place.unsupported('properties', `an object may have at most ${most} properties`)
  return count > most
}

/** Returns the schema of other properties; undefined if the schema does not restrict them. */
async function additionalOf(schema: JsonObject, place: Place): Promise<JsonObject | boolean | undefined> {
  const patterned = await patternedOf(schema, place)
  const written = schema.additionalProperties ?? schema.unevaluatedProperties
  if (patterned !== undefined && (written === undefined || isImpossible(written))) return patterned
  if (written === undefined || typeof written === 'boolean') return written
  if (isImpossible(written)) return false
  return translatePart(written, place.below('additionalProperties'))
}

/** Returns the closest form of `patternProperties`: its schema for properties of any name. */
async function patternedOf(schema: JsonObject, place: Place): Promise<JsonObject | true | undefined> {
  if (schema.patternProperties === undefined || Bun.deepEquals(schema.patternProperties, {})) return undefined
  const schemas = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
  const [only] = schemas
  const isForAll = only !== undefined && /^(\^?\.\*\$?|\^?)$/.test(only[0])
  // Otherwise named properties would also have to fit it, and it would precede `additionalProperties`.
  const isAlone =
    Object.keys(schema.properties ?? {}).length === 0 &&
    isImpossible(schema.additionalProperties ?? schema.unevaluatedProperties ?? false)
  if (schemas.length !== 1 || !isForAll || !isAlone) place.unsupported('patternProperties')
  if (only === undefined || schemas.length > 1) return true
  return translatePart(only[1], place.below('patternProperties'))
}
