import type { EngineStats } from '../engines/protocol/engine.ts'

/** Work that an engine has done since its process started. */
export interface EngineCount extends Counters {
  readonly pid: number | undefined
  readonly atMs: number
}

type Counters = Pick<
  EngineStats,
  'generatedTokens' | 'decodedPromptTokens' | 'cacheTokens' | 'draftedTokens' | 'acceptedTokens' | 'stepTimes'
>

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
