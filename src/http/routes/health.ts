import { ApiError } from '../../core/errors.ts'
import type { Exchange } from '../exchange.ts'
import type { RequestObserver } from '../request-observer.ts'
import type { HttpServices } from '../services.ts'

/** Serves GET /health: the process is up. */
export function health({ observer }: Exchange): Response {
  observer.isRoutine = true
  return Response.json({ status: 'ok' })
}

interface ReadyExchange {
  readonly observer: Pick<RequestObserver, 'isRoutine'>
  readonly services: {
    readonly stores: Pick<HttpServices['stores'], 'commits'>
    readonly pool: Pick<HttpServices['pool'], 'status'>
    readonly catalog: Pick<HttpServices['catalog'], 'entries'>
  }
}

/**
 * Serves GET /ready: the database is writable, and at least one model is on this disk whose engine has not given up.
 * Throws ApiError 503 otherwise.
 */
export function ready({ observer, services }: ReadyExchange): Response {
  observer.isRoutine = true
  services.stores.commits.requireStorage()
  const failed = new Set(services.pool.status().flatMap((engine) => (engine.state === 'failed' ? engine.modelId : [])))
  const models = services.catalog
    .entries()
    .filter(({ status, manifest }) => status.kind === 'ready' && !failed.has(manifest.id))
  if (models.length > 0) return Response.json({ status: 'ready', models: models.length })
  throw new ApiError('unavailable', "No model can be served now. 'inferd list' and 'inferd ps' tell why.", {
    code: 'not_ready',
  })
}
