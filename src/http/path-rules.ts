import type { Route } from './route.ts'
import type { ErrorDialect } from './services.ts'

/** What holds at a path whether or not it has a route. */
export interface PathRules {
  readonly dialect: ErrorDialect
  /** For pages of this server alone: other sites get no CORS headers and caches nothing. */
  readonly isOwn: boolean
  /** Served to some without a key: other sites get CORS headers for requests with a key. */
  readonly mayBeKeyless: boolean
}

/** Reads a path's rules from the table: a rule of a route holds at its path and below it. */
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

/** First folders that have these routes and no others: what is not served there has the same shape of errors. */
function foldersOfAlone(own: readonly Route[], routes: readonly Route[]): Pick<Route, 'path'>[] {
  const others = foldersOf(routes.filter((route) => !own.includes(route)))
  return [...foldersOf(own)].filter((folder) => !others.has(folder)).map((folder) => ({ path: `/${folder}` }))
}

/** Tells whether a pathname lies at or below the path of any of the routes. */
function areaOf(routes: readonly Pick<Route, 'path'>[]): (pathname: string) => boolean {
  const paths = [...new Set(routes.map(({ path }) => path.replace(/\/\*$/, '')))]
  const highest = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))
  return (pathname) => highest.some((path) => pathname === path || pathname.startsWith(`${path}/`))
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

/** What the `*` at the end of a route's path stands for: at most so much as any id has. */
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
