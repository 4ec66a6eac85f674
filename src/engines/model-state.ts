import type { EngineInfo, ModelState } from '../core/model-state.ts'
import type { ScheduledModel } from '../scheduler/view.ts'
import { usedBackend } from './backends/backend-words.ts'
import type { ModelEngine } from './model-engine.ts'

const noFailure = { retryInMs: undefined }
const notHeld = {
  ...{ pid: undefined, placement: undefined, usedBytes: undefined, unloadsInMs: undefined },
}
const notLoading = { loadedFraction: undefined, loadingMs: undefined }
const notLoaded = { info: undefined, backend: undefined }

/** Returns the state of a model's engine. `view`: the scheduler's view of it. `nowMs`: time of the pool's clock. */
export function modelState(
  engine: ModelEngine,
  view: ScheduledModel | undefined,
  { nowMs, promptBytes }: { readonly nowMs: number; readonly promptBytes: number },
): ModelState {
  const { process, history, estimates } = engine
  const { waiting = 0, longestWaitMs = 0, placement, failure, unloadsAtMs } = view ?? {}
  const timeUntil = (atMs: number | undefined) => (atMs === undefined ? undefined : Math.max(0, atMs - nowMs))
  // A model without a placement shows the estimate of its best one.
  const estimate = placement === undefined ? [...estimates.values()][0] : (estimates.get(placement.key) ?? placement)
  const facts = {
    modelId: engine.id,
    restarts: Math.max(0, history.starts - 1),
    ...{ lastExit: history.lastExit, lastFailure: history.lastFailure },
    ...{ failedLoad: history.failedLoad?.reason, failedLoadCode: history.failedLoad?.code },
    ...{ running: process?.running ?? 0, waiting, longestWaitMs, isPinned: engine.isPinned },
    isCompiling: view?.state === 'starting' && engine.isCompiling,
    ...{ estimatedBytes: estimate?.needBytes, reservedBytes: view?.reserved ?? {}, promptBytes },
    ...{ loads: history.loads, loadTimes: history.loadTimes, stops: history.stops },
  }
  const failed = { retryInMs: timeUntil(failure?.untilMs) }
  if (placement === undefined || view === undefined) {
    if (view?.state === 'failed')
      return { ...facts, state: 'failed', ...failed, ...notHeld, ...notLoading, ...notLoaded }
    const state = view?.state === 'estimating' ? 'estimating' : 'stopped'
    return { ...facts, state, ...noFailure, ...notHeld, ...notLoading, ...notLoaded }
  }
  const held = {
    ...{ pid: process?.pid, placement: placement.label, usedBytes: view.measured },
    unloadsInMs: timeUntil(unloadsAtMs),
  }
  if (view.state === 'starting') {
    const loading = { loadedFraction: engine.loadedFraction, loadingMs: nowMs - engine.startedAtMs }
    return { ...facts, state: 'starting', ...noFailure, ...held, ...loading, ...notLoaded }
  }
  const loaded = process?.info === undefined ? notLoaded : loadedFacts(engine, process, process.info)
  const serves = (view.state === 'ready' || view.state === 'draining') && loaded.info !== undefined
  if (serves) return { ...facts, state: view.state, ...noFailure, ...held, ...notLoading, ...loaded }
  return { ...facts, state: 'stopping', ...failed, ...held, ...notLoading, ...loaded }
}

function loadedFacts(
  { model, silentCrashes }: ModelEngine,
  { runtime }: Pick<NonNullable<ModelEngine['process']>, 'runtime'>,
  info: EngineInfo,
) {
  const backend = usedBackend(model.manifest.engine, info, runtime ?? {})
  // A model moved to the CPU after crashes on a GPU shows a remark.
  if (!silentCrashes.keepsOffGpu) return { info, backend }
  const remark = "its engine ended on the GPU without a word; 'inferd gpu probe' has it tried again"
  return { info: { ...info, remark }, backend }
}
