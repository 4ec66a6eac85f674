/** Routes of the port where programs look for Ollama. */
import { type Route, routesBelow } from './route.ts'

/** Probe by which programs find out whether Ollama runs. */
const root = routesBelow('', [
  { on: 'GET /', access: 'public', handle: () => new Response('Ollama is running', { headers: plainText }) },
])
const plainText = { 'content-type': 'text/plain; charset=utf-8' }

/**
 * Returns the routes of Ollama's API and those of /v1, which many programs for Ollama use too. Clients that need no
 * key for one need none for the other. Leaves out pages and operators' routes.
 */
export function ollamaDoor(routes: readonly Route[]): readonly Route[] {
  const served = routes
    .filter(({ path }) => path.startsWith('/api/') || path.startsWith('/v1/'))
    .flatMap((route): Route[] => {
      if (route.access === 'public' || route.access === 'ollama') return [route]
      if (route.access !== 'key') return []
      // Routes with a body run a model and may need no key. The others describe the account, which only a key
      // identifies.
      return [route.body === undefined ? route : { ...route, access: 'ollama' }]
    })
  return [...root, ...served]
}
