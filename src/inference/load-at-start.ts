/** Loading of models when a server starts. A model that cannot be loaded does not stop the others. */
import type { Catalog, ResolvedModel } from '../catalog/catalog.ts'
import type { EnginePool } from '../engines/pool.ts'
import type { Log } from '../telemetry/log.ts'
import type { ModelControl } from './model-control.ts'
import { installedModel } from './resolve-model.ts'

interface Loading {
  readonly catalog: Catalog
  readonly pool: EnginePool
  readonly models: ModelControl
  readonly log: Log
}

/** Begins to load the pinned models, those that the settings name, and all upstream models. */
export function loadAtStart(
  pinned: readonly string[],
  preload: readonly ResolvedModel[],
  { catalog, pool, models, log }: Loading,
): void {
  for (const id of pinned) {
    try {
      models.pin(id)
    } catch (error) {
      log.warn({ model: id, err: error }, 'pinned model cannot be loaded')
    }
  }
  for (const { entry } of preload) pool.preload(installedModel(entry))
  // Upstream models take no memory, and their servers' faults should be known before the first request.
  for (const entry of catalog.entries()) {
    if (entry.manifest.upstream !== undefined && entry.status.kind === 'ready') pool.preload(installedModel(entry))
  }
}
