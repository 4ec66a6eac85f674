import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { invalidSchema } from '../../../core/schema-error.ts'
import { schemaLimits } from './schema-limits.ts'
import { definitionOf } from './schema-ways.ts'

/**
 * Returns the definitions of a translated schema that refer to themselves without consuming any text, which no grammar
 * can follow. Throws ApiError 400 for a schema whose values may begin in too many ways, which costs the sampler at
 * every token.
 */
export function checkAlternatives(schema: JsonObject, path: string): readonly string[] {
  const counts = new Map<string, number | 'open'>()
  const circular: string[] = []

  function countOf(node: JsonValue | undefined): number {
    if (!isObject(node)) return 1
    if (typeof node.$ref === 'string') return countOfDefinition(node.$ref)
    if (Array.isArray(node.anyOf)) return node.anyOf.reduce<number>((sum, item) => sum + countOf(item), 0)
    return 1
  }

  function countOfDefinition(reference: string): number {
    const known = counts.get(reference)
    if (known === 'open') circular.push(reference)
    if (known !== undefined) return known === 'open' ? 1 : known
    counts.set(reference, 'open')
    const count = countOf(definitionOf(schema, reference))
    counts.set(reference, count)
    return count
  }

  /** Visits every choice, wherever it stands. */
  function visit(node: JsonValue, place: string): void {
    if (typeof node !== 'object' || node === null) return
    if ('anyOf' in node && countOf(node) > schemaLimits.alternatives) {
      throw invalidSchema(path, place, `it has more than ${schemaLimits.alternatives} alternatives`)
    }
    for (const [name, member] of Object.entries(node)) visit(member, `${place}.${name}`)
  }

  for (const name of Object.keys(schema.$defs ?? {})) countOfDefinition(`#/$defs/${name}`)
  if (circular.length === 0) visit(schema, '')
  return circular
}

/**
 * Throws ApiError 400 for a translated schema into which the converter would descend too deeply, or whose parts would
 * get too long names. The converter follows each reference at its first occurrence, level by level, on the stack of a
 * thread.
 */
export function checkNesting(schema: JsonObject, path: string): void {
  const met = new Set<string>()
  let nameCharacters = 0

  function descend(node: JsonValue | undefined, depth: number, nameLength: number): void {
    if (!isObject(node)) return
    nameCharacters += nameLength
    if (nameCharacters > schemaLimits.nameCharacters) {
      throw invalidSchema(path, '', 'it has too many parts within properties of long names')
    }
    if (depth > schemaLimits.nesting) {
      throw invalidSchema(path, '', `with its references it is nested deeper than ${schemaLimits.nesting}`)
    }
    if (typeof node.$ref === 'string') {
      if (met.has(node.$ref)) return
      met.add(node.$ref)
      descend(definitionOf(schema, node.$ref), depth + 1, node.$ref.length)
      return
    }
    for (const [name, part] of partsOf(node)) descend(part, depth + 1, nameLength + name.length + 1)
  }

  descend(schema, 0, 0)
}

/** Returns the direct subschemas, in the converter's order, with its approximate names for them. */
function partsOf(schema: JsonObject): (readonly [name: string, part: JsonValue])[] {
  const { anyOf, properties, additionalProperties = null, items = null, prefixItems } = schema
  if (Array.isArray(anyOf)) return anyOf.map((part) => ['0', part])
  const list: JsonValue[] = Array.isArray(prefixItems) ? prefixItems : []
  return [
    ...(isObject(properties) ? Object.entries(properties) : []),
    ['additional', additionalProperties],
    ['item', items],
    ...list.map((part): [string, JsonValue] => ['tuple', part]),
  ]
}
