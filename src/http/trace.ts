import { ApiError } from '../core/errors.ts'
import { boxesHeader, boxesLimit, type RequestTrace, readBoxes } from '../core/trace.ts'
import type { Exchange } from './exchange.ts'

/**
 * Returns the trace of a request, for servers that it is passed on to. Throws ApiError 421 for a request that went in
 * a circle: a box that stands behind itself would ask itself without end.
 */
export function traceOf({
  request,
  observer,
  services,
}: Pick<Exchange<'boxId'>, 'request' | 'observer' | 'services'>): RequestTrace {
  const boxes = readBoxes(request.headers.get(boxesHeader))
  if (boxes.includes(services.boxId)) throw inCircle('It came back to the server that it set out from')
  if (boxes.length >= boxesLimit) throw inCircle(`It came through ${boxes.length} servers`)
  return { requestId: observer.requestId, boxes }
}

function inCircle(what: string): ApiError {
  const message = `${what}: its model is served by servers that stand behind each other in a circle. Their operator has to change the endpoints of the model.`
  return new ApiError('misdirected', message, { code: 'upstream_circle', param: 'model' })
}
