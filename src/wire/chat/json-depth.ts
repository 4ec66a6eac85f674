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
