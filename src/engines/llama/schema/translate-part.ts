import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { flattenSchema, joinSchemas } from './flatten-schema.ts'
import { fromEntries, hasConstraints, hintsOf, isImpossible, unsupportedKeywords, without } from './keywords.ts'
import { schemaLimits } from './schema-limits.ts'
import { isHeldFormat } from './string-formats.ts'
import { countLimits, counts, translateArray } from './translate-array.ts'
import { translateNumber } from './translate-number.ts'
import { translateObject } from './translate-object.ts'
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
  // Prompt templates read the properties of a tool's parameters; the converter ignores them here.
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
    // Constraints beside given values are not translated, because they would only cost work.
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

const known = new Set(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'])

/** Keywords that imply the type of a schema without `type`, in the converter's order. */
const telling: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'patternProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems']],
  ['string', ['pattern', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** Returns the types that a value may have, each once; undefined for any. Never empty. */
function translateTypes(schema: JsonObject, place: Place): string[] | undefined {
  const types = new Set<string>()
  if (schema.type !== undefined) {
    // `flat` loses the element type of read-only arrays.
    const written = [schema.type].flat() as JsonValue[]
    if (written.length === 0) place.unsupported('type', 'it names none')
    for (const each of written) {
      // One vendor writes types in capitals, such as STRING.
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

/**
 * Translates the keywords of texts. The grammar gets their rules later (`held-schema.ts`): here they are only checked.
 */
function translateString(schema: JsonObject, place: Place): Entries {
  const lengths = countLimits(schema, 'Length', place)
  const { pattern, format } = schema
  const held = counts('Length', lengths.least, lengths.most)
  const limits = { pattern: textOf(pattern), format: textOf(format), lengths }
  if (limits.pattern === undefined && limits.format === undefined) return held
  const form = place.textForm(limits)
  if (form === undefined) {
    place.unsupported(limits.pattern === undefined ? 'format' : 'pattern', 'with the others it is too complex')
    return held
  }
  for (const { keyword, why } of form.left) place.unsupported(keyword, why)
  return form.rules === undefined || limits.pattern === undefined ? held : [['pattern', limits.pattern], ...held]
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
