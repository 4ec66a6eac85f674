/** What is served at the port where programs look for Ollama. */
import { type Route, routesBelow } from './route.ts'

/** Programs ask for it to find out whether Ollama runs. */
const root = routesBelow('', [
  { on: 'GET /', access: 'public', handle: () => new Response('Ollama is running', { headers: plainText }) },
])
const plainText = { 'content-type': 'text/plain; charset=utf-8' }

/**
 * Ollama's API, and the one below /v1, which many of its programs use beside it. Who is served without a key at one of them is so
 * at both. No pages, and nothing of the operator.
 */
export function ollamaDoor(routes: readonly Route[]): readonly Route[] {
  const served = routes
    .filter(({ path }) => path.startsWith('/api/') || path.startsWith('/v1/'))
    .flatMap((route): Route[] => {
      if (route.access === 'public' || route.access === 'ollama') return [route]
      if (route.access !== 'key') return []
      // What has a body asks a model. The rest tells of the account, which a key shows to be one's own.
      return [route.body === undefined ? route : { ...route, access: 'ollama' }]
    })
  return [...root, ...served]
}
