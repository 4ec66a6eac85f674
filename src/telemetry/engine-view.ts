import type { EngineView } from '../core/live.ts'
import type { StepShares } from '../core/step-times.ts'
import type { EngineStatus } from '../engines/model-engine.ts'
import type { EngineStats } from '../engines/protocol/protocol.ts'

/** Counters that some engines tell. */
export type Told = Pick<EngineStats, 'cacheTokens' | 'draftedTokens' | 'acceptedTokens' | 'stepTimes'>

/** Work of an engine since its process started. */
export interface EngineCount extends Pick<EngineStats, 'generatedTokens' | 'decodedPromptTokens' | keyof Told> {
  readonly pid: number | undefined
  readonly atMs: number
}

export interface EngineRates {
  readonly outputTokensPerSecond: number
  readonly promptTokensPerSecond: number
}

export const noRates: EngineRates = { outputTokensPerSecond: 0, promptTokensPerSecond: 0 }

/** Returns the rates between two counts of one process. The first count of a process follows `emptyCount`. */
export function ratesBetween(before: EngineCount, now: EngineCount): EngineRates {
  const seconds = (now.atMs - before.atMs) / 1000
  if (seconds <= 0) return noRates
  const perSecond = (later: number, earlier: number) => Math.round((Math.max(0, later - earlier) / seconds) * 10) / 10
  const outputTokensPerSecond = perSecond(now.generatedTokens, before.generatedTokens)
  const promptTokensPerSecond = perSecond(now.decodedPromptTokens, before.decodedPromptTokens)
  return outputTokensPerSecond + promptTokensPerSecond === 0
    ? noRates
    : { outputTokensPerSecond, promptTokensPerSecond }
}

/** Returns the count of a process that has computed nothing yet. */
export function emptyCount(pid: number | undefined, atMs: number): EngineCount {
  return { pid, atMs, generatedTokens: 0, decodedPromptTokens: 0 }
}

export function engineView(
  status: EngineStatus,
  {
    rates,
    told,
    stepShares,
    sinceMs,
    nowMs,
  }: {
    readonly rates: EngineRates
    readonly told: Told
    readonly stepShares?: StepShares | undefined
    readonly sinceMs: number
    readonly nowMs: number
  },
): EngineView {
  const { info, retryInMs } = status
  return {
    model: status.modelId,
    state: status.state,
    sinceMs,
    device: status.placement ?? info?.device,
    backend: status.backend,
    remark: info?.remark,
    running: status.running,
    parallel: info?.parallel,
    waiting: status.waiting,
    ...rates,
    cacheTokens: told.cacheTokens,
    draftedTokens: told.draftedTokens,
    acceptedTokens: told.acceptedTokens,
    stepTimes: told.stepTimes,
    stepShares,
    cacheLayout: info?.cacheLayout,
    cacheLimitTokens: info?.cacheLimitTokens,
    contextTokens: info?.contextTokens,
    loadProgress: status.loadedFraction,
    isCompiling: status.isCompiling,
    restarts: status.restarts,
    lastFailure: status.lastFailure,
    retryAtMs: retryInMs === undefined ? undefined : Math.round((nowMs + retryInMs) / 1000) * 1000,
    isPinned: status.isPinned,
    loadTimes: status.loadTimes,
  }
}
