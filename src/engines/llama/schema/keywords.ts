import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { isHeldFormat } from './string-formats.ts'

/** Keywords that say something about a schema and nothing about its values: they stay, for the model to read. */
const annotations = new Set([
  ...['title', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'format'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', '$comment', 'discriminator', 'externalDocs', 'xml'],
])

/** Keywords that mean nothing to a model. `encrypted` is a mark of one client on parameters that it keeps private. */
const meaningless = new Set(['$schema', '$id', 'id', '$anchor', '$vocabulary', '$defs', 'definitions', 'encrypted'])

/** Keywords of whole schemas that no grammar can hold. */
export const unsupportedKeywords = [
  ...['not', 'if', 'then', 'else', 'contains', 'minContains', 'maxContains', 'propertyNames', 'dependencies'],
  ...['dependentRequired', 'dependentSchemas', '$dynamicRef', '$recursiveRef', '$dynamicAnchor'],
] as const

const constraints = new Set<string>([
  ...unsupportedKeywords,
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'type', 'nullable', 'enum', 'const', 'properties', 'required'],
  ...['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'minProperties', 'maxProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'minItems', 'maxItems', 'uniqueItems'],
  ...['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
])

/** Whether the schema limits its values in any way that this server knows. */
export function hasConstraints(schema: JsonObject): boolean {
  return Object.keys(schema).some((keyword) => constraints.has(keyword)) || isHeldFormat(schema.format)
}

/** The schema without some of its keywords, and without those that mean nothing here. */
export function without(schema: JsonObject, ...keywords: readonly string[]): JsonObject {
  return fromEntries(Object.entries(schema).filter(([name]) => !keywords.includes(name) && !meaningless.has(name)))
}

/** What stays of a schema whose constraints are translated: its annotations and unknown keywords. */
export function hintsOf(schema: JsonObject): [string, JsonValue][] {
  return Object.entries(schema)
    .filter(([name]) => annotations.has(name) || !(constraints.has(name) || meaningless.has(name)))
    .filter(([name, value]) => name !== 'format' || typeof value === 'string')
}

/** Whether no value fits: the schema `false`. */
export function isImpossible(schema: JsonValue): boolean {
  if (schema === false) return true
  return isObject(schema) && (schema.not === true || (isObject(schema.not) && Object.keys(schema.not).length === 0))
}

/** Unlike assignment, this keeps a member named `__proto__`. */
export function fromEntries(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  const present = entries.filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined)
  return Object.fromEntries(present)
}
