import { authenticate, type KeyHolder } from './authenticate.ts'
import { requireOwnOrigin, requireSession } from './dashboard/guards.ts'
import { requireOwnHost } from './own-host.ts'
import type { Route } from './route.ts'
import type { Exchange } from './services.ts'

/** Runs a route's handler if the route serves this request. Throws ApiError 401, 403 or 421 otherwise. */
export function serveRoute(route: Route, exchange: Exchange): Response | Promise<Response> {
  if (route.access === 'public') return route.handle(exchange)
  if (route.access === 'key') return route.handle(exchange, requireKey(exchange))
  requireOwnHost(exchange)
  if (route.method !== 'GET') requireOwnOrigin(exchange, { isOptional: route.access === 'own-host' })
  return route.access === 'session' ? route.handle(exchange, requireSession(exchange)) : route.handle(exchange)
}

function requireKey({ request, record, dialect, services }: Exchange): KeyHolder {
  const acceptsApiKeyHeader = dialect === 'messages'
  const holder = authenticate(request.headers, services.stores.keys, { acceptsApiKeyHeader })
  record.accountId = holder.accountId
  record.keyId = holder.keyId
  return holder
}
