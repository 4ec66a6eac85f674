import type { EngineView } from '../core/live.ts'
import type { EngineStatus } from '../engines/model-engine.ts'
import type { EngineStats } from '../engines/protocol.ts'

/** What an engine has computed since its process started. */
export interface EngineCount {
  readonly pid: number | undefined
  readonly atMs: number
  readonly stats: EngineStats
}

export interface EngineRates {
  readonly outputTokensPerSecond: number
  readonly promptTokensPerSecond: number
}

export const noRates: EngineRates = { outputTokensPerSecond: 0, promptTokensPerSecond: 0 }

/** From two counts of one process; another process counts from 0. */
export function ratesBetween(before: EngineCount | undefined, now: EngineCount): EngineRates {
  if (before === undefined || before.pid !== now.pid || now.atMs <= before.atMs) return noRates
  const seconds = (now.atMs - before.atMs) / 1000
  const perSecond = (later: number, earlier: number) => Math.round((Math.max(0, later - earlier) / seconds) * 10) / 10
  return {
    outputTokensPerSecond: perSecond(now.stats.generatedTokens, before.stats.generatedTokens),
    promptTokensPerSecond: perSecond(now.stats.decodedPromptTokens, before.stats.decodedPromptTokens),
  }
}

export function engineView(
  status: EngineStatus,
  {
    rates,
    cacheTokens,
    sinceMs,
    nowMs,
  }: {
    readonly rates: EngineRates
    readonly cacheTokens: number | undefined
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
    running: status.running,
    parallel: info?.parallel,
    waiting: status.waiting,
    ...rates,
    cacheTokens,
    contextTokens: info?.contextTokens,
    loadProgress: status.loadedFraction,
    restarts: status.restarts,
    lastFailure: status.lastFailure,
    retryAtMs: retryInMs === undefined ? undefined : Math.round((nowMs + retryInMs) / 1000) * 1000,
    isPinned: status.isPinned,
  }
}
