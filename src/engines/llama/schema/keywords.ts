import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { keywordsTreatedAs } from './keyword-table.ts'
import { isHeldFormat } from './string-formats.ts'

/** `format` is also a note. */
const annotations: ReadonlySet<string> = new Set([...keywordsTreatedAs('note'), 'format'])
const dropped = keywordsTreatedAs('dropped')
const constraints: ReadonlySet<string> = new Set(
  [...keywordsTreatedAs('held', 'refused')].filter((name) => name !== 'format'),
)

/**
 * Keywords of whole schemas that no grammar can hold. `uniqueItems` and `maxProperties` are checked with arrays and
 * objects.
 */
export const unsupportedKeywords: readonly string[] = [...keywordsTreatedAs('refused')].filter(
  (keyword) => keyword !== 'uniqueItems' && keyword !== 'maxProperties',
)

/** Returns whether the schema limits its values in any way that this server knows. */
export function hasConstraints(schema: JsonObject): boolean {
  return Object.keys(schema).some((keyword) => constraints.has(keyword)) || isHeldFormat(schema.format)
}

/** Returns the schema without these keywords, and without those that mean nothing here. */
export function without(schema: JsonObject, ...keywords: readonly string[]): JsonObject {
  return fromEntries(Object.entries(schema).filter(([name]) => !keywords.includes(name) && !dropped.has(name)))
}

/** Returns the rest of a schema whose constraints are translated: its annotations and unknown keywords. */
export function hintsOf(schema: JsonObject): [string, JsonValue][] {
  return Object.entries(schema)
    .filter(([name]) => annotations.has(name) || !(constraints.has(name) || dropped.has(name)))
    .filter(([name, value]) => name !== 'format' || typeof value === 'string')
}

/** Returns whether no value fits: the schema `false`. */
export function isImpossible(schema: JsonValue): boolean {
  if (schema === false) return true
  return isObject(schema) && (schema.not === true || (isObject(schema.not) && Object.keys(schema.not).length === 0))
}

/** Creates an object. Unlike assignment, this keeps a member named `__proto__`. */
export function fromEntries(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  const present = entries.filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined)
  return Object.fromEntries(present)
}
