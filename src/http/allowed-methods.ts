export interface RoutePattern {
  readonly method: string
  /** Static, or ending in `/*`. */
  readonly path: string
}

/** The methods that a path has, empty when nothing is there. GET brings HEAD along, everything OPTIONS. */
export function allowedMethods(routes: readonly RoutePattern[], pathname: string): string[] {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const methods = new Set<string>()
  for (const route of routes) {
    if (!matches(route.path, path)) continue
    methods.add(route.method)
    if (route.method === 'GET') methods.add('HEAD')
    methods.add('OPTIONS')
  }
  return [...methods]
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === path
  const stem = pattern.slice(0, -1)
  return path.startsWith(stem) && path.length > stem.length
}
