import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { fromEntries, hasConstraints } from './keywords.ts'
import { isHeldFormat } from './string-formats.ts'

/** Called for a keyword that two schemas cannot join. Throws, or else the left schema's value stays. */
type OnProblem = (keyword: string) => void

/**
 * Returns one schema for the values that both allow (`allOf`), in the caller's keywords, not yet translated. Undefined
 * if no value fits both. Neither has `$ref` or `allOf` itself; members that both have are joined under `allOf`.
 */
export function mergeSchemas(left: JsonObject, right: JsonObject, onProblem: OnProblem): JsonObject | undefined {
  const merged = new Map<string, JsonValue>(Object.entries(left))
  for (const [keyword, theirs] of Object.entries(right)) {
    const ours = left[keyword]
    if (ours === undefined) merged.set(keyword, theirs)
    else if (Object.hasOwn(joins, keyword)) {
      const joined = joins[keyword]?.(ours, theirs)
      if (joined === 'impossible') return undefined
      if (joined === undefined) onProblem(keyword)
      else merged.set(keyword, joined.value)
    } else if (unjoinable.has(keyword) && !Bun.deepEquals(ours, theirs)) onProblem(keyword)
  }
  if (limitsOthers(left, right) || limitsOthers(right, left)) onProblem('additionalProperties')
  if (limitsTuple(left, right) || limitsTuple(right, left)) onProblem('items')
  return fromEntries([...merged])
}

/** Joins two values of a keyword. Undefined if they cannot be joined. */
type Join = (ours: JsonValue, theirs: JsonValue) => { readonly value: JsonValue } | 'impossible' | undefined

const unjoinable = new Set(['anyOf', 'oneOf', 'prefixItems', 'const', 'patternProperties', 'multipleOf'])

/** Maximum characters of a pattern, since each join doubles it. */
const maxPatternCharacters = 2_000

const joins: Readonly<Record<string, Join>> = {
  type: joinTypes,
  pattern: joinPatterns,
  format: joinFormats,
  enum: joinEnums,
  required: (ours, theirs) => ({ value: [...new Set([ours, theirs].flat())] }),
  properties: joinProperties,
  items: joinItems,
  additionalProperties: (ours, theirs) => ({ value: joinAdditional(ours, theirs) }),
  uniqueItems: (ours, theirs) => ({ value: ours === true || theirs === true }),
  nullable: (ours, theirs) => ({ value: ours === true && theirs === true }),
  ...forAll(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'], Math.max),
  ...forAll(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'], Math.min),
}

function joinTypes(ours: JsonValue, theirs: JsonValue): ReturnType<Join> {
  const [left, right] = [[ours].flat(), [theirs].flat()]
  const both = left.filter((type) => right.includes(type) || (type === 'integer' && right.includes('number')))
  if (left.includes('number') && right.includes('integer') && !both.includes('integer')) both.push('integer')
  const [only] = both
  if (only === undefined) return 'impossible'
  return { value: both.length === 1 ? only : both }
}

/** Returns one pattern that requires both, each at any place. */
function joinPatterns(ours: JsonValue, theirs: JsonValue): ReturnType<Join> {
  if (typeof ours !== 'string' || typeof theirs !== 'string') return undefined
  if (ours === theirs) return { value: ours }
  const [one, other] = [lookFor(ours), lookFor(theirs)]
  if (ours.includes(other)) return { value: ours }
  return one.length + other.length < maxPatternCharacters ? { value: `^${one}${other}` } : undefined
}

function lookFor(pattern: string): string {
  return `(?=(?:${pattern})|[^]+(?:${pattern}))`
}

/** Joins formats. One that no grammar can enforce is only a note. */
function joinFormats(ours: JsonValue, theirs: JsonValue): ReturnType<Join> {
  if (ours === theirs || !isHeldFormat(theirs)) return { value: ours }
  return isHeldFormat(ours) ? undefined : { value: theirs }
}

function joinEnums(ours: JsonValue, theirs: JsonValue): ReturnType<Join> {
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return undefined
  const known = new Set(theirs.map((value) => JSON.stringify(value)))
  const both = ours.filter((value) => known.has(JSON.stringify(value)))
  return both.length === 0 ? 'impossible' : { value: both }
}

function joinProperties(ours: JsonValue, theirs: JsonValue): ReturnType<Join> {
  if (!isObject(ours) || !isObject(theirs)) return undefined
  const joined = new Map(Object.entries(ours))
  for (const [name, schema] of Object.entries(theirs)) {
    const own = joined.get(name)
    joined.set(name, own === undefined || Bun.deepEquals(own, schema) ? schema : { allOf: [own, schema] })
  }
  return { value: fromEntries([...joined]) }
}

/** Joins items. A list is a tuple of draft 4, which describes each item. */
function joinItems(ours: JsonValue, theirs: JsonValue): ReturnType<Join> {
  return Array.isArray(ours) || Array.isArray(theirs) ? undefined : { value: { allOf: [ours, theirs] } }
}

function joinAdditional(ours: JsonValue, theirs: JsonValue): JsonValue {
  if (ours === false || theirs === false) return false
  if (ours === true) return theirs
  return theirs === true ? ours : { allOf: [ours, theirs] }
}

/** Returns joins of keywords with numbers, of which one is picked. */
function forAll(keywords: readonly string[], pick: (one: number, other: number) => number): Record<string, Join> {
  const join: Join = (ours, theirs) =>
    typeof ours === 'number' && typeof theirs === 'number' ? { value: pick(ours, theirs) } : undefined
  return Object.fromEntries(keywords.map((keyword) => [keyword, join]))
}

/** Returns whether one schema's limit on further properties applies to some that the other one names. */
function limitsOthers({ additionalProperties: rest, properties }: JsonObject, other: JsonObject): boolean {
  if (!isLimit(rest) || !isObject(other.properties)) return false
  const own = isObject(properties) ? properties : {}
  return Object.keys(other.properties).some((name) => !Object.hasOwn(own, name))
}

/** Returns whether one schema's limit on all items applies to single ones that the other one lists. */
function limitsTuple({ items, prefixItems }: JsonObject, other: JsonObject): boolean {
  return prefixItems === undefined && other.prefixItems !== undefined && isLimit(items)
}

function isLimit(schema: JsonValue | undefined): boolean {
  return schema === false || (isObject(schema) && hasConstraints(schema))
}
