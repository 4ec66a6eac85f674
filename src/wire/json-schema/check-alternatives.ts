import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isObject } from './keywords.ts'
import { invalidSchema } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'

/**
 * Throws ApiError 400 for a translated schema that refers to itself without consuming any text, which no grammar can
 * follow, and for one whose values may begin in too many ways, which costs the sampler at every token.
 */
export function checkAlternatives(schema: JsonObject, path: string): void {
  const definitions = isObject(schema.$defs) ? schema.$defs : {}
  const counts = new Map<string, number | 'open'>()

  function countOf(node: JsonValue | undefined): number {
    if (!isObject(node)) return 1
    if (typeof node.$ref === 'string') return countOfDefinition(node.$ref.slice('#/$defs/'.length))
    if (Array.isArray(node.anyOf)) return node.anyOf.reduce<number>((sum, item) => sum + countOf(item), 0)
    return 1
  }

  function countOfDefinition(name: string): number {
    const known = counts.get(name)
    if (known === 'open')
      throw invalidSchema(path, `#/$defs/${name}`, 'it refers to itself without anything in between')
    if (known !== undefined) return known
    counts.set(name, 'open')
    const count = countOf(definitions[name])
    counts.set(name, count)
    return count
  }

  /** Looks at every choice, wherever it stands. */
  function visit(node: JsonValue, place: string): void {
    if (typeof node !== 'object' || node === null) return
    if ('anyOf' in node && countOf(node) > schemaLimits.alternatives) {
      throw invalidSchema(path, place, `it has more than ${schemaLimits.alternatives} alternatives`)
    }
    for (const [name, member] of Object.entries(node)) visit(member, `${place}.${name}`)
  }

  for (const name of Object.keys(definitions)) countOfDefinition(name)
  visit(schema, '')
}
