/** JSON from clients, which may be nested to any depth and contain malformed Unicode. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/**
 * Returns whether JSON is nested deeper than `limit` arrays and objects. Iterative, and allocates nothing for scalars:
 * a body may be nested 100,000 deep, or hold millions of objects side by side.
 */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: object[] = isContainer(value) ? [value] : []
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= limit) return true
    const next: object[] = []
    for (const container of level) addContainers(container, next)
    level = next
  }
  return false
}

function addContainers(container: object, found: object[]): void {
  if (Array.isArray(container)) {
    for (const entry of container) if (isContainer(entry)) found.push(entry)
    return
  }
  // Parsed JSON inherits no enumerable properties.
  for (const key in container) {
    const entry: unknown = Reflect.get(container, key)
    if (isContainer(entry)) found.push(entry)
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Returns the object with each lone surrogate, in names and texts, replaced by U+FFFD: engines cannot take such text.
 * The value must not be nested deeply.
 */
export function wellFormed(object: JsonObject): JsonObject {
  // JSON text has escapes for lone surrogates, so an object without such escapes needs no repair.
  return /\\ud[89a-f]/.test(JSON.stringify(object)) ? repairObject(object) : object
}

function repairObject(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toWellFormed(), repair(value)]))
}

function repair(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(repair)
  return isObject(value) ? repairObject(value) : value
}
