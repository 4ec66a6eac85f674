/**
 * Serves the pages from their sources, reloads them at each change, and passes all other requests on to a running
 * server: `bun scripts/dev-ui.ts [http://127.0.0.1:11500]`.
 */

import { forwardedPaths, pagePaths } from '../src/wire/page-paths.ts'
import admin from '../ui/admin.html'
import dashboard from '../ui/dashboard.html'
import kit from '../ui/kit/kit.html'
import { writeGenerated } from './build/build-ui.ts'

const backend = new URL(process.argv[2] ?? 'http://127.0.0.1:11500')

writeGenerated()
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 11501,
  idleTimeout: 0,
  development: { hmr: true, console: true },
  routes: {
    '/ui/kit': kit,
    ...Object.fromEntries(
      [...pagePaths, ...forwardedPaths].map((path) => [path, path.startsWith('/admin') ? admin : dashboard]),
    ),
  },
  fetch: passOn,
})
console.log(`pages at ${server.url.origin}/dashboard, all parts at /ui/kit, everything else from ${backend.origin}`)

/** Names the server behind as the origin, because it accepts only requests of its own pages. */
function passOn(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const headers = new Headers(request.headers)
  headers.set('host', backend.host)
  if (headers.has('origin')) headers.set('origin', backend.origin)
  return fetch(new URL(pathname + search, backend), {
    ...{ method: request.method, headers, body: request.body, redirect: 'manual', decompress: false },
    signal: request.signal,
  })
}
