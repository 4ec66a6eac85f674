/**
 * Number of ways in which a grammar may read one text at the same time. llama.cpp follows them all at every token, and
 * nested choices within arrays double them: a schema of thirty lines can keep it busy forever.
 */
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'

/** Maximum ways, which cost the sampler tens of milliseconds per token. */
export const maxWays = 2000

/**
 * Returns an upper estimate, infinite if choices that begin alike lead back to themselves. Follows only references
 * within the schema's own `$defs`; the converter reports invalid ones.
 */
export function waysOf(schema: JsonObject): number {
  const known = new Map<string, number>()
  const open = new Set<string>()
  /** True if the current path has led back to an open definition. */
  let hasReturned = false

  function ofReference(reference: string): number {
    const result = known.get(reference)
    if (result !== undefined) return result
    if (open.has(reference)) {
      hasReturned = true
      return 1
    }
    open.add(reference)
    const ways = of(definitionOf(schema, reference))
    open.delete(reference)
    known.set(reference, ways)
    return ways
  }

  function ofChoice(items: readonly JsonValue[]): number {
    const outer = hasReturned
    let returning = 0
    let sum = 0
    for (const item of items) {
      hasReturned = false
      sum += of(item)
      if (hasReturned) returning++
    }
    hasReturned = outer || returning > 0
    const isEndless = returning > 1 && items.filter((item) => beginsAlike(schema, item)).length > 1
    return isEndless ? Number.POSITIVE_INFINITY : sum
  }

  function of(node: JsonValue | undefined): number {
    if (!isObject(node)) return 1
    if (typeof node.$ref === 'string') return ofReference(node.$ref)
    const choice = node.anyOf ?? node.oneOf
    if (Array.isArray(choice)) return ofChoice(choice)
    if (Array.isArray(node.enum)) return node.enum.length
    const first = Array.isArray(node.prefixItems) ? node.prefixItems[0] : node.items
    if (isObject(first)) return 1 + of(first)
    if (!isObject(node.properties)) return 1
    const values = Object.values(node.properties)
    return Math.max(values.length, ...values.map(of))
  }

  return of(schema)
}

/** Returns whether two choices begin alike. Arrays differ only by their content. */
function beginsAlike(schema: JsonObject, item: JsonValue): boolean {
  const node = isObject(item) && typeof item.$ref === 'string' ? definitionOf(schema, item.$ref) : item
  return isObject(node) && (isObject(node.items) || Array.isArray(node.prefixItems) || Array.isArray(node.anyOf))
}

/** Returns the definition that a reference names within the schema's own `$defs`. */
export function definitionOf(schema: JsonObject, reference: string): JsonValue | undefined {
  const name = reference.startsWith('#/$defs/') ? reference.slice('#/$defs/'.length) : undefined
  return name !== undefined && isObject(schema.$defs) ? schema.$defs[name] : undefined
}
