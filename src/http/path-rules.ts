import type { ErrorDialect } from './exchange.ts'
import type { Route } from './route.ts'

/** Rules of a path, with or without a route. */
export interface PathRules {
  readonly dialect: ErrorDialect
  /** True for pages of this server alone: other sites get no CORS headers, and nothing is cached. */
  readonly isOwn: boolean
  /** True if some clients need no key. Other sites then get CORS headers only for requests with a key. */
  readonly mayBeKeyless: boolean
}

/** Reads a path's rules from the table. Rules of a route hold at its path and below it. */
export function pathRulesReader(routes: readonly Route[]): (pathname: string) => PathRules {
  const isOwn = areaOf(routes.filter(({ access }) => !['public', 'key', 'ollama'].includes(access)))
  const mayBeKeyless = areaOf(routes.filter(({ access }) => access === 'ollama'))
  const dialects = [...new Set(routes.flatMap(({ dialect = [] }) => dialect))]
  const areas = dialects.map((dialect) => {
    const own = routes.filter((route) => route.dialect === dialect)
    return { dialect, has: areaOf([...own, ...foldersOfAlone(own, routes)]) }
  })
  return (pathname) => ({
    dialect: areas.find(({ has }) => has(pathname))?.dialect ?? 'chat',
    isOwn: isOwn(pathname),
    mayBeKeyless: mayBeKeyless(pathname),
  })
}

/** Returns first folders that hold only these routes. Unknown paths in them use the same error format. */
function foldersOfAlone(own: readonly Route[], routes: readonly Route[]): Pick<Route, 'path'>[] {
  const others = foldersOf(routes.filter((route) => !own.includes(route)))
  return [...foldersOf(own)].filter((folder) => !others.has(folder)).map((folder) => ({ path: `/${folder}` }))
}

/** Returns a test of whether a pathname is at or below the path of any of the routes. */
function areaOf(routes: readonly Pick<Route, 'path'>[]): (pathname: string) => boolean {
  const paths = [...new Set(routes.map(({ path }) => path.replace(/\/\*$/, '')))]
  const highest = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))
  return (pathname) => highest.some((path) => pathname === path || pathname.startsWith(`${path}/`))
}

/** Returns the methods of a path, empty if it has no route. GET implies HEAD, any method OPTIONS. */
export function allowedMethods(routes: readonly Route[], pathname: string): string[] {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const methods = routes
    .filter((route) => matches(route.path, path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [method, 'OPTIONS']))
  return [...new Set(methods)]
}

/** Returns the first folders of the paths. */
export function foldersOf(routes: readonly Route[]): Set<string> {
  return new Set(routes.map(({ path }) => firstFolder(path)).filter((folder) => folder !== ''))
}

/** Returns the text that the final `*` of a route's path stands for, cut to the longest possible id. */
export function idOf({ pathname }: URL): string {
  const id = pathname.replace(/\/$/, '').split('/').at(-1) ?? ''
  return id.slice(0, 100)
}

export function firstFolder(pathname: string): string {
  return /^\/([^/?#]*)/.exec(pathname)?.[1] ?? ''
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === path
  const start = pattern.slice(0, -1)
  return path.startsWith(start) && path.length > start.length
}
