/** JSON as clients send it: of any depth, and with text that is no text. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/**
 * Whether JSON is nested deeper than `limit` arrays and objects. Iterative, and makes nothing of what is no container: a
 * body may be nested 100,000 deep, or hold millions of objects side by side.
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
  // Whatever came from JSON inherits nothing that is enumerable.
  for (const key in container) {
    const entry: unknown = Reflect.get(container, key)
    if (isContainer(entry)) found.push(entry)
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * The same with each half of a surrogate pair, in names and texts, replaced by U+FFFD: such text cannot be told to the
 * engine. The value must not be nested deeply.
 */
export function wellFormed(object: JsonObject): JsonObject {
  // JSON text writes lone halves as escapes: without any, there is nothing to do.
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
