/** Refusals of schemas for all engines. An engine refuses further schemas that it cannot hold. */
import type { SchemaOrigin } from '../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { invalidSchema } from '../../core/schema-error.ts'
import { isDeeperThan, wellFormed } from './client-json.ts'

/** Deepest nesting of a schema. Clients send less, and native code reads a hundred levels including those around it. */
const maxDepth = 60
const maxCharacters = 256 * 1024

/**
 * Returns the schema as the caller wrote it. Throws ApiError 400 `invalid_schema` for a value that is no schema or is
 * too deep or too large, and for a strict one that refers to another document.
 */
export function checkSchema(value: unknown, { path, isStrict }: SchemaOrigin): JsonObject {
  const given = value === true ? {} : value
  if (!isObject(given)) throw invalidSchema(path, '', 'it must be an object')
  if (isDeeperThan(given, maxDepth)) throw invalidSchema(path, '', `it is nested deeper than ${maxDepth}`)
  if (JSON.stringify(given).length > maxCharacters) {
    throw invalidSchema(path, '', `it has more than ${maxCharacters} characters`)
  }
  const schema = wellFormed(given)
  if (isStrict && !hasIdentifiers(schema)) refuseOtherDocuments(schema, path, '')
  return schema
}

/** Returns whether parts of the schema have ids, to which references may lead. */
function hasIdentifiers(schema: JsonObject): boolean {
  return /"\$?id":/.test(JSON.stringify(schema))
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name */
const holders = new Set([
  ...['items', 'additionalItems', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties'],
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems', 'properties', 'patternProperties', '$defs', 'definitions'],
])
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions'])

function refuseOtherDocuments(schema: JsonValue, path: string, place: string): void {
  if (!isObject(schema)) return
  if (typeof schema.$ref === 'string' && !schema.$ref.startsWith('#')) {
    const reference = schema.$ref.slice(0, 100)
    throw invalidSchema(path, place, `$ref '${reference}' leads out of the schema; only '#/…' is possible`)
  }
  for (const [keyword, held] of Object.entries(schema)) {
    if (!holders.has(keyword)) continue
    const below = place === '' ? keyword : `${place}.${keyword}`
    if (Array.isArray(held)) held.forEach((part, index) => void refuseOtherDocuments(part, path, `${below}[${index}]`))
    else if (!byName.has(keyword)) refuseOtherDocuments(held, path, below)
    else if (isObject(held)) {
      for (const [name, part] of Object.entries(held)) refuseOtherDocuments(part, path, `${below}.${name}`)
    }
  }
}
