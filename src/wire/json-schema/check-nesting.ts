import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isObject } from './keywords.ts'
import { invalidSchema } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'

/**
 * Throws ApiError 400 for a translated schema that the compiler would descend into too deeply: it follows each reference
 * where it first meets it, level upon level, on the stack of a thread.
 */
export function checkNesting(schema: JsonObject, path: string): void {
  const definitions = isObject(schema.$defs) ? schema.$defs : {}
  const met = new Set<string>()

  function descend(node: JsonValue | undefined, depth: number): void {
    if (!isObject(node)) return
    if (depth > schemaLimits.nesting) {
      throw invalidSchema(path, '', `with its references it is nested deeper than ${schemaLimits.nesting}`)
    }
    if (typeof node.$ref === 'string') {
      if (met.has(node.$ref)) return
      met.add(node.$ref)
      descend(definitions[node.$ref.slice('#/$defs/'.length)], depth + 1)
      return
    }
    for (const part of partsOf(node)) descend(part, depth + 1)
  }

  descend(schema, 0)
}

/** The schemas directly in this one, in the compiler's order. */
function partsOf({ anyOf, properties, additionalProperties, items, prefixItems }: JsonObject): JsonValue[] {
  if (Array.isArray(anyOf)) return anyOf
  const members = isObject(properties) ? Object.values(properties) : []
  const list: JsonValue[] = Array.isArray(prefixItems) ? prefixItems : []
  return [...members, additionalProperties ?? null, items ?? null, ...list]
}
