/** Definitions and counts of installed, loaded and ready models, shared by pages and commands. Pure. */
import type { FilesState, ModelState } from './model-state.ts'

/** Returns whether the model can be requested: its files are here, came with the program, or its endpoints are set. */
export function isInstalled(status: FilesState['kind']): boolean {
  return status === 'ready'
}

/** Returns whether the model is in memory and answers. */
export function isLoaded(state: ModelState['state']): boolean {
  return isReady(state) || state === 'draining'
}

/** Returns whether the model is loaded and takes new requests. */
export function isReady(state: ModelState['state']): boolean {
  return state === 'ready'
}

/** Suffix of a speaker-labelling engine's id. No manifest's id has a colon. */
const diarizerSuffix = ':diarizer'

/** Returns the id of the engine that labels speakers for a model. */
export function diarizerId(modelId: string): string {
  return `${modelId}${diarizerSuffix}`
}

/** Returns the id of the model that an engine belongs to. An engine that labels speakers belongs to its transcription model. */
export function modelIdOf(engineId: string): string {
  return engineId.endsWith(diarizerSuffix) ? engineId.slice(0, -diarizerSuffix.length) : engineId
}

export interface ModelCounts {
  readonly installed: number
  readonly loaded: number
  readonly ready: number
}

interface CountedModels {
  /** Statuses of all models. */
  readonly statuses: readonly FilesState['kind'][]
  readonly engines: readonly { readonly modelId: string; readonly state: ModelState['state'] }[]
}

export function countModels({ statuses, engines }: CountedModels): ModelCounts {
  const having = (holds: (state: ModelState['state']) => boolean) =>
    new Set(engines.filter(({ state }) => holds(state)).map(({ modelId }) => modelIdOf(modelId))).size
  return { installed: statuses.filter(isInstalled).length, loaded: having(isLoaded), ready: having(isReady) }
}
