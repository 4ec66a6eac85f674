type Serve = (request: Request) => Promise<Response>

export interface LiteralPathsOptions {
  /** Every path that is served. */
  readonly paths: readonly string[]
  readonly serve: Serve
  /** Answers a path that is written as if it lay elsewhere. */
  readonly refuse: Serve
}

/**
 * Refuses paths like `/v1/%2e%2e/dashboard`: who lets only /v1/ through a proxy means what is written there. The runtime
 * resolves the dots before a handler sees the address; its own routing goes by the path as it was sent.
 */
export function literalPaths({ paths, serve, refuse }: LiteralPathsOptions): {
  readonly routes: Readonly<Record<string, Serve>>
  readonly fetch: Serve
} {
  const folders = [...new Set(paths.map(firstFolder))].filter((folder) => folder !== '')
  const routes = folders.flatMap((folder) => {
    const inFolder: Serve = (request) =>
      [folder, undefined].includes(folderOf(request)) ? serve(request) : refuse(request)
    return [`/${folder}`, `/${folder}/*`].map((path) => [path, inFolder] as const)
  })
  return {
    routes: Object.fromEntries(routes),
    fetch: (request) => (folders.includes(folderOf(request) ?? '') ? refuse(request) : serve(request)),
  }
}

/** Undefined where there is no address. Old clients give a path alone. */
function folderOf({ url }: Request): string | undefined {
  const path = URL.parse(url)?.pathname ?? url
  return path.startsWith('/') ? firstFolder(path) : undefined
}

function firstFolder(path: string): string {
  return /^\/([^/?#]*)/.exec(path)?.[1] ?? ''
}
