import type { ErrorDialect, Route } from './route.ts'

/** What holds at a path whether or not it has a route. */
export interface PathRules {
  readonly dialect: ErrorDialect
  /** For pages of this server alone: other sites get no CORS headers and caches nothing. */
  readonly isOwn: boolean
}

const usualRules: PathRules = { dialect: 'chat', isOwn: false }

/** Reads a path's rules from the table: those of the route at the path or above it. */
export function pathRulesReader(routes: readonly Route[]): (pathname: string) => PathRules {
  const areas = routes.flatMap(({ path, access, dialect = 'chat' }) => {
    const rules = { dialect, isOwn: access !== 'public' && access !== 'key' }
    return rules.isOwn || dialect !== 'chat' ? [{ path: stem(path), rules }] : []
  })
  const highest = areas.filter(({ path }) => !areas.some((other) => path.startsWith(`${other.path}/`)))
  return (pathname) =>
    highest.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`))?.rules ?? usualRules
}

/** The methods of a path, empty when it has no route. GET brings HEAD along, everything OPTIONS. */
export function allowedMethods(routes: readonly Route[], pathname: string): string[] {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const methods = routes
    .filter((route) => matches(route.path, path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [method, 'OPTIONS']))
  return [...new Set(methods)]
}

/** First folders of the paths. */
export function foldersOf(routes: readonly Route[]): Set<string> {
  return new Set(routes.map(({ path }) => firstFolder(path)).filter((folder) => folder !== ''))
}

export function firstFolder(pathname: string): string {
  return /^\/([^/?#]*)/.exec(pathname)?.[1] ?? ''
}

function stem(path: string): string {
  return path.replace(/\/\*$/, '')
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === path
  const start = pattern.slice(0, -1)
  return path.startsWith(start) && path.length > start.length
}
