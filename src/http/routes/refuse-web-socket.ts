import { ApiError } from '../../core/errors.ts'
import { refuse } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { methodNotAllowed } from '../not-served.ts'

/**
 * Serves GET /responses. Some clients first try a web socket here. After 426 they use POST at once; after any other
 * answer they try the socket again.
 */
export function refuseWebSocket(exchange: Exchange<'config' | 'ui'>): Response {
  if (exchange.request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    const allowed = ['POST', 'OPTIONS']
    return refuse(exchange, methodNotAllowed('GET', allowed), { allow: allowed.join(', ') })
  }
  const message = 'There is no web socket here. Use POST /v1/responses.'
  const error = new ApiError('invalid_request', message, { code: 'upgrade_required' })
  // HTTP requires that a 426 names the protocol to use instead.
  const refusal = refuse(exchange, error, { upgrade: 'HTTP/1.1', connection: 'upgrade' })
  return new Response(refusal.body, { status: 426, headers: refusal.headers })
}
