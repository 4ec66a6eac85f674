import type { CatalogEntry } from '../catalog/catalog.ts'
import { diarizerId } from '../core/model-counts.ts'
import type { ModelState } from '../core/model-state.ts'
import { guessedLoadMs } from '../engines/guessed-load.ts'
import type { EnginePool, PoolReport } from '../engines/pool.ts'
import { findModel, installedModel, type ModelLookup } from './resolve-model.ts'

/**
 * Operator's actions on the models of a running server, by canonical id. A diarizer is loaded only by requests, and
 * is unloaded with its model.
 */
export interface ModelControl {
  /**
   * Returns the canonical id, also of a model that is loaded although its manifest is gone; undefined if there is no
   * such model.
   */
  find(name: string): string | undefined
  /** Returns false for a diarizer, and for a model that is loaded although its manifest is gone. */
  isInCatalog(id: string): boolean
  /** Returns the guessed time of a first load in milliseconds, of each model that is on this disk. */
  guessedLoads(): ReadonlyMap<string, number>
  /** Resolves when the model is loaded. Rejects with ApiError. */
  load(id: string): Promise<void>
  unload(id: string, how: 'drain' | 'now'): Promise<void>
  pin(id: string): void
  unpin(id: string): void
  requestsOf(id: string): Pick<ModelState, 'running' | 'waiting'>
  status(): PoolReport
}

interface ControlledCatalog extends ModelLookup {
  entries(): readonly CatalogEntry[]
}

export function modelControl(catalog: ControlledCatalog, pool: EnginePool): ModelControl {
  const installed = (id: string) => installedModel(findModel(catalog, id).entry)
  return {
    find: (name) =>
      catalog.resolve(name)?.entry.manifest.id ?? pool.status().find(({ modelId }) => modelId === name)?.modelId,
    isInCatalog: (id) => catalog.resolve(id) !== undefined,
    guessedLoads: () =>
      new Map(
        catalog
          .entries()
          .flatMap((entry) => (entry.status.kind === 'ready' ? [[entry.manifest.id, guessedLoadMs(entry)]] : [])),
      ),
    load: (id) => pool.load(installed(id)),
    unload: async (id, how) => {
      await Promise.all([pool.unload(id, how), pool.unload(diarizerId(id), how)])
    },
    pin: (id) => pool.pin(installed(id)),
    unpin: (id) => pool.unpin(id),
    requestsOf: (id) =>
      pool
        .status()
        .filter(({ modelId }) => modelId === id || modelId === diarizerId(id))
        .reduce((sum, { running, waiting }) => ({ running: sum.running + running, waiting: sum.waiting + waiting }), {
          running: 0,
          waiting: 0,
        }),
    status: () => pool.report(),
  }
}
