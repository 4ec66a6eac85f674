import type { EngineState } from '../../engines/model-engine.ts'
import type { LoadingModel, LoadingModels } from '../../wire/pages/models.ts'
import { toTime } from '../../wire/pages/query.ts'
import type { Exchange } from '../services.ts'

const states: Readonly<Record<EngineState, LoadingModel['state']>> = {
  estimating: 'loading',
  starting: 'loading',
  ready: 'ready',
  draining: 'unloading',
  stopping: 'unloading',
  failed: 'failed',
  stopped: 'stopped',
}

/** Serves GET models/loading: models of the catalog that are loaded, loading, or waited for. */
export function loadingModels({ services }: Exchange): Response {
  const { pool, catalog, clock } = services
  const data = pool
    .status()
    // Engines that belong to a model, as the one that tells its speakers apart, have no id of their own.
    .filter(({ modelId, state, waiting }) => (state !== 'stopped' || waiting > 0) && catalog.resolve(modelId))
    .map(
      ({ modelId, state, loadedFraction, loadingMs, waiting }): LoadingModel => ({
        model: modelId,
        state: states[state],
        progress: loadedFraction ?? null,
        since: loadingMs === undefined ? null : toTime(clock() - loadingMs),
        waiting,
      }),
    )
  return Response.json({ object: 'list', data } satisfies LoadingModels)
}
