import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { flattenSchema, joinSchemas } from './flatten-schema.ts'
import { fromEntries, hasConstraints, hintsOf, isImpossible, unsupportedKeywords, without } from './keywords.ts'
import { schemaLimits } from './schema-limits.ts'
import { translateArray } from './translate-array.ts'
import { translateNumber } from './translate-number.ts'
import { translateObject } from './translate-object.ts'
import { translateString } from './translate-string.ts'
import { translateTypes } from './translate-types.ts'
import { translateValues } from './translate-values.ts'
import type { Entries, Place } from './translation.ts'

/**
 * Translates a schema within a schema into the few keywords that the converter reads, each with a supported value.
 * Throws ApiError 400.
 */
export async function translatePart(value: JsonValue, place: Place): Promise<JsonObject> {
  await place.pause()
  place.step()
  if (place.depth > schemaLimits.depth) throw place.error('it is nested too deeply')
  const schema = place.asSchema(value)
  const flat = await flattenSchema(schema, place)
  switch (flat.kind) {
    case 'reference':
      return { ...flat.hints, $ref: place.refer(flat.reference) }
    case 'joined':
      return place.depth === 0 ? translateFlat(flat.schema, place) : { $ref: place.define(schema, flat.schema) }
    default:
      return translateFlat(flat.schema, place)
  }
}

function translateFlat(schema: JsonObject, place: Place): Promise<JsonObject> {
  if (schema.anyOf !== undefined) return translateAlternatives(schema, 'anyOf', place)
  if (schema.oneOf !== undefined) return translateAlternatives(schema, 'oneOf', place)
  return translatePlain(schema, place)
}

/** Translates alternatives. The converter ignores keywords beside them, so these are merged into each. */
async function translateAlternatives(
  schema: JsonObject,
  keyword: 'anyOf' | 'oneOf',
  place: Place,
): Promise<JsonObject> {
  const written = schema[keyword]
  const alternatives = Array.isArray(written) ? written.filter((item) => !isImpossible(item)) : []
  const beside = without(schema, keyword)
  if (alternatives.length === 0) {
    place.unsupported(keyword, 'it must be an array of schemas, one of which can hold')
    return translateFlat(beside, place)
  }
  const isLimited = hasConstraints(beside)
  const translated: JsonObject[] = []
  for (const [index, item] of alternatives.entries()) {
    const itemPlace = place.below(`${keyword}[${index}]`)
    const alternative = isLimited ? await joinSchemas([itemPlace.asSchema(item), beside], itemPlace) : item
    if (alternative !== undefined) translated.push(await translatePart(alternative, itemPlace))
  }
  const [first] = translated
  if (first === undefined) {
    place.unsupported(keyword, 'no alternative fits what stands beside it')
    return translateFlat(beside, place)
  }
  const hints = fromEntries(hintsOf(beside))
  if (translated.length === 1) return { ...hints, ...first }
  // Prompt templates look at the properties of a tool's parameters; the converter ignores them here.
  const shown = place.depth === 0 && isLimited ? await translateFlat(beside, place) : {}
  return { ...shown, ...hints, anyOf: translated }
}

async function translatePlain(schema: JsonObject, place: Place): Promise<JsonObject> {
  for (const keyword of unsupportedKeywords) {
    if (schema[keyword] !== undefined && !isTrivial(keyword, schema[keyword])) {
      place.unsupported(keyword)
    }
  }
  const types = translateTypes(schema, place)
  const values = translateValues(schema, types, place)
  return fromEntries([
    ...hintsOf(schema),
    ['type', types?.length === 1 ? types[0] : types],
    ...values,
    // Constraints beside given values are not translated: they would only be work.
    ...(values.length > 0 || types === undefined ? [] : await partsOf(schema, types, place)),
  ])
}

async function partsOf(schema: JsonObject, types: readonly string[], place: Place): Promise<Entries> {
  const isAnyNumber = types.includes('number')
  return [
    ...(types.includes('object') ? await translateObject(schema, place) : []),
    ...(types.includes('array') ? await translateArray(schema, place) : []),
    ...(types.includes('string') ? translateString(schema, place) : []),
    ...(isAnyNumber || types.includes('integer') ? translateNumber(schema, isAnyNumber, place) : []),
  ]
}

/** Returns whether an unsupported keyword has no effect in this form. */
function isTrivial(keyword: string, value: JsonValue): boolean {
  if (keyword === 'propertyNames') return Bun.deepEquals(value, { type: 'string' }) || Bun.deepEquals(value, {})
  return keyword !== 'not' && keyword !== 'contains' && Bun.deepEquals(value, {})
}
