/** Whether JSON is nested deeper than `limit` arrays and objects. Iterative: a body may be nested 100,000 deep. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    const containers = level.filter((entry) => typeof entry === 'object' && entry !== null)
    if (containers.length > 0 && depth >= limit) return true
    level = containers.flatMap((container) => Object.values(container))
  }
  return false
}
