/** Serves a model by asking other servers. Runs in the server's own process: it is HTTP alone, without native code. */
import { ApiError, errorData } from '../../core/errors.ts'
import type { WorkKind } from '../../core/work.ts'
import type { LoadEngine } from '../engine.ts'
import { LoadError } from '../load-error.ts'
import type { UpstreamHost } from './host.ts'
import type { UpstreamSettings } from './settings.ts'

export function upstreamEngine(host: UpstreamHost): LoadEngine<WorkKind, UpstreamSettings> {
  return async ({ model: { manifest }, emit }) => {
    const { upstream } = manifest
    if (upstream === undefined) throw new LoadError('bad-model', `${manifest.id} names no servers: this is a bug`)
    await host.readKey(upstream)
    const { flavor, endpoints, maxConcurrent } = upstream
    return {
      info: {
        device: 'upstream',
        description: `${flavor}, ${endpoints.length} ${endpoints.length === 1 ? 'endpoint' : 'endpoints'}`,
        contextTokens: manifest.contextLength ?? 0,
        parallel: endpoints.length * maxConcurrent,
      },
      run: (id) => {
        const message = 'this version cannot ask the servers of this model yet; use another model'
        emit([{ id, error: errorData(new ApiError('engine', message, { code: 'engine_failed' })) }])
      },
      grant: () => undefined,
      cancel: () => undefined,
      useThreads: () => undefined,
      stats: () => ({
        steps: 0,
        threads: 0,
        running: 0,
        waiting: 0,
        decodedPromptTokens: 0,
        reusedPromptTokens: 0,
        generatedTokens: 0,
      }),
    }
  }
}
