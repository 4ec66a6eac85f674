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
import { below, type Entries, type Place, type Translation } from './translation.ts'

/**
 * A schema within a schema, in the few keywords that the converter reads, each with a value that it understands. Throws
 * ApiError 400.
 */
export async function translatePart(value: JsonValue, place: Place, translation: Translation): Promise<JsonObject> {
  await translation.pause()
  translation.step(place.path)
  if (place.depth > schemaLimits.depth) throw translation.error(place.path, 'it is nested too deeply')
  const schema = translation.asSchema(value, place.path)
  const flat = await flattenSchema(schema, place.path, translation)
  switch (flat.kind) {
    case 'reference':
      return { ...flat.hints, $ref: translation.refer(flat.reference, place.path) }
    case 'joined':
      return place.depth === 0
        ? translateFlat(flat.schema, place, translation)
        : { $ref: translation.define(schema, flat.schema, place.path) }
    default:
      return translateFlat(flat.schema, place, translation)
  }
}

function translateFlat(schema: JsonObject, place: Place, translation: Translation): Promise<JsonObject> {
  if (schema.anyOf !== undefined) return translateAlternatives(schema, 'anyOf', place, translation)
  if (schema.oneOf !== undefined) return translateAlternatives(schema, 'oneOf', place, translation)
  return translatePlain(schema, place, translation)
}

/** The converter reads nothing beside alternatives, so what stands there is made part of each. */
async function translateAlternatives(
  schema: JsonObject,
  keyword: 'anyOf' | 'oneOf',
  place: Place,
  translation: Translation,
): Promise<JsonObject> {
  const written = schema[keyword]
  const alternatives = Array.isArray(written) ? written.filter((item) => !isImpossible(item)) : []
  const beside = without(schema, keyword)
  if (alternatives.length === 0) {
    translation.unsupported(place.path, keyword, 'it must be an array of schemas, one of which can hold')
    return translateFlat(beside, place, translation)
  }
  const isLimited = hasConstraints(beside)
  const translated: JsonObject[] = []
  for (const [index, item] of alternatives.entries()) {
    const itemPlace = below(place, `${keyword}[${index}]`)
    const alternative = isLimited
      ? await joinSchemas([translation.asSchema(item, itemPlace.path), beside], itemPlace.path, translation)
      : item
    if (alternative !== undefined) translated.push(await translatePart(alternative, itemPlace, translation))
  }
  const [first] = translated
  if (first === undefined) {
    translation.unsupported(place.path, keyword, 'no alternative fits what stands beside it')
    return translateFlat(beside, place, translation)
  }
  const hints = fromEntries(hintsOf(beside))
  if (translated.length === 1) return { ...hints, ...first }
  // Prompt templates look at the properties of a tool's parameters; the converter passes over them here.
  const shown = place.depth === 0 && isLimited ? await translateFlat(beside, place, translation) : {}
  return { ...shown, ...hints, anyOf: translated }
}

async function translatePlain(schema: JsonObject, place: Place, translation: Translation): Promise<JsonObject> {
  for (const keyword of unsupportedKeywords) {
    if (schema[keyword] !== undefined && !isTrivial(keyword, schema[keyword])) {
      translation.unsupported(place.path, keyword)
    }
  }
  const types = translateTypes(schema, place, translation)
  const values = translateValues(schema, types, place, translation)
  return fromEntries([
    ...hintsOf(schema),
    ['type', types?.length === 1 ? types[0] : types],
    ...values,
    // What no value can be is not translated: it would only be work.
    ...(values.length > 0 || types === undefined ? [] : await partsOf(schema, types, place, translation)),
  ])
}

async function partsOf(
  schema: JsonObject,
  types: readonly string[],
  place: Place,
  translation: Translation,
): Promise<Entries> {
  const isAnyNumber = types.includes('number')
  return [
    ...(types.includes('object') ? await translateObject(schema, place, translation) : []),
    ...(types.includes('array') ? await translateArray(schema, place, translation) : []),
    ...(types.includes('string') ? translateString(schema, place, translation) : []),
    ...(isAnyNumber || types.includes('integer') ? translateNumber(schema, isAnyNumber, place, translation) : []),
  ]
}

/** Unsupported keywords in the forms in which they say nothing. */
function isTrivial(keyword: string, value: JsonValue): boolean {
  if (keyword === 'propertyNames') return Bun.deepEquals(value, { type: 'string' }) || Bun.deepEquals(value, {})
  return keyword !== 'not' && keyword !== 'contains' && Bun.deepEquals(value, {})
}
