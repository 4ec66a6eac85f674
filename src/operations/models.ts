/** Changes of models in the running server: loading, unloading, and pinning, which survives restarts. */
import { Type } from '@sinclair/typebox'
import { isReady } from '../core/model-counts.ts'
import type { ModelState } from '../core/model-state.ts'
import { auditors } from '../core/roles.ts'
import type { PoolReport } from '../engines/pool.ts'
import { lineOf, trueOrFalse } from './fields.ts'
import { actorOf, type OperationServices, ofServer, operation } from './operation.ts'
import { OperationError } from './problem.ts'

const model = lineOf('is named by its id or an alias', 200)
const named = Type.Object({ model })

/** Loads a model now. Resolves when it is ready. */
export const loadModel = operation({
  callers: ['operator'],
  kind: 'write',
  input: named,
  prepare: async ({ models }, { model: name }) => {
    const server = required(models)
    const id = found(server.find(name), name)
    const wasReady = isModelReady(server, id)
    await server.load(id)
    return { id, wasReady }
  },
  run: ({ stores, caller }, _, prepared) => {
    const { id, wasReady } = ofServer(prepared)
    if (!wasReady) stores.audit.append({ actor: actorOf(caller), action: 'model.load', details: { model: id } })
    return { model: id }
  },
})

/** Unloads a model, and unpins it. Refused while requests run, unless it waits for them (`drain`) or fails them (`now`). */
export const unloadModel = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ model, drain: Type.Optional(trueOrFalse()), now: Type.Optional(trueOrFalse()) }),
  prepare: async ({ models }, { model: name, drain = false, now = false }) => {
    const server = required(models)
    const id = found(server.find(name), name)
    const { running, waiting } = server.requestsOf(id)
    if (running + waiting > 0 && !drain && !now) {
      throw new OperationError({ code: 'model_busy', model: id, running, waiting })
    }
    const wasThere = server.status().engines.some(({ modelId }) => modelId === id)
    await server.unload(id, now ? 'now' : 'drain')
    return { id, wasThere }
  },
  run: ({ stores, caller }, _, prepared) => {
    const { id, wasThere } = ofServer(prepared)
    const wasPinned = stores.pinnedModels.remove(id)
    if (wasThere || wasPinned)
      stores.audit.append({ actor: actorOf(caller), action: 'model.unload', details: { model: id } })
    return { model: id }
  },
})

/** Ends the model's engine if it runs, and loads the model again. Running requests fail and are not charged. */
export const restartEngine = operation({
  callers: ['operator'],
  kind: 'write',
  input: named,
  prepare: async ({ models, stores }, { model: name }) => {
    const server = required(models)
    const id = found(server.find(name), name)
    await server.unload(id, 'now')
    if (stores.pinnedModels.list().includes(id)) server.pin(id)
    await server.load(id)
    return id
  },
  run: ({ models, stores, caller }, { model: name }, prepared) => {
    const id = prepared ?? found(required(models).find(name), name)
    stores.audit.append({ actor: actorOf(caller), action: 'engine.restart', details: { model: id } })
    return { model: id }
  },
})

/** Keeps a model loaded even if others need room, also after a restart. */
export const pinModel = operation({
  callers: ['operator'],
  kind: 'write',
  input: named,
  run: ({ models, stores, caller }, { model: name }) => {
    const id = models === undefined ? name : found(models.find(name), name)
    const isNew = stores.pinnedModels.add(id)
    if (isNew) stores.audit.append({ actor: actorOf(caller), action: 'model.pin', details: { model: id } })
    models?.pin(id)
    return { model: id, isServerRunning: models !== undefined }
  },
})

/** Unpins a model, so that others may take its memory. */
export const unpinModel = operation({
  callers: ['operator'],
  kind: 'write',
  input: named,
  run: ({ models, stores, caller }, { model: name }) => {
    const id = models?.find(name) ?? name
    if (!stores.pinnedModels.remove(id)) throw new OperationError({ code: 'not_found', what: 'pinned model', name })
    stores.audit.append({ actor: actorOf(caller), action: 'model.unpin', details: { model: id } })
    models?.unpin(id)
    return { model: id }
  },
})

/** Returns the state of models and memory. */
export const modelsStatus = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  run: ({ models }) => toListedReport(required(models).status()),
})

/** Returns the report of the pool for operators' commands. */
export function toListedReport({ engines, ...rest }: PoolReport) {
  return { engines: engines.map(toListedEngine), ...rest }
}

/** Returns the row of an engine for operators' commands. */
function toListedEngine(model: ModelState) {
  const { modelId, state, pid, info, restarts, lastExit, failedLoad, failedLoadCode, lastFailure, retryInMs } = model
  const { running, waiting, longestWaitMs, isPinned, unloadsInMs, loadedFraction, isCompiling } = model
  const { backend, loadingMs, placement, estimatedBytes, reservedBytes, usedBytes, promptBytes } = model
  const { loads, loadTimes, stops } = model
  return {
    ...{ modelId, state, pid, info, restarts, lastExit, failedLoad, failedLoadCode, lastFailure, retryInMs },
    ...{ running, waiting, longestWaitMs, isPinned, unloadsInMs, loadedFraction, isCompiling },
    ...{ backend, loadingMs, placement, estimatedBytes, reservedBytes, usedBytes, promptBytes },
    ...{ loads, loadTimes, stops },
  }
}

const loadingStates = {
  estimating: 'loading',
  starting: 'loading',
  ready: 'ready',
  draining: 'unloading',
  stopping: 'unloading',
  failed: 'failed',
  stopped: 'stopped',
} as const satisfies Record<ModelState['state'], string>

/**
 * Lists models of the catalog that are on this disk, with the time that a load of each takes. A stopped one is loaded
 * when a request's turn comes.
 */
export const listLoadingModels = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores, models, clock }) => {
    const control = required(models)
    const guessed = control.guessedLoads()
    const measured = stores.measuredMemory.latestLoads()
    const engines = control.status().engines.filter(({ modelId }) => control.isInCatalog(modelId))
    const states = new Map(engines.map((engine) => [engine.modelId, engine]))
    return [...new Set([...guessed.keys(), ...states.keys()])].map((id) => {
      const { state = 'stopped', loadedFraction, loadingMs, waiting = 0 } = states.get(id) ?? {}
      return {
        id,
        state: loadingStates[state],
        loadedFraction,
        loadingSinceMs: loadingMs === undefined ? undefined : clock() - loadingMs,
        /** Waiting requests of all accounts. */
        waiting,
        /** Expected time of a load in milliseconds. Undefined if the files are gone. */
        loadMs: measured.get(id) ?? guessed.get(id),
      }
    })
  },
})

function isModelReady(models: NonNullable<OperationServices['models']>, id: string): boolean {
  return models.status().engines.some(({ modelId, state }) => modelId === id && isReady(state))
}

function required(models: OperationServices['models']): NonNullable<OperationServices['models']> {
  if (models === undefined) throw new OperationError({ code: 'no_server' })
  return models
}

function found(id: string | undefined, name: string): string {
  if (id === undefined) throw new OperationError({ code: 'not_found', what: 'model', name })
  return id
}
