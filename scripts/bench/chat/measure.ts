import { cpuSeconds, residentMib } from '../../shared/process-usage.ts'
import { median, percentile } from '../../shared/statistics.ts'
import { firstTokenMs, gapsMs, type Job, type JobResult } from './job.ts'
import type { Peer } from './peer.ts'
import { makePrompt } from './prompts.ts'
import type { BenchSettings } from './settings.ts'

/** Figures of one number of concurrent streams. */
export interface LevelFigures {
  readonly streams: number
  /** Tokens of all streams, divided by the time from the first request to the last token. */
  readonly tokensPerSecond: number
  readonly firstTokenP50Ms: number
  readonly gapP50Ms: number
  readonly gapP99Ms: number
  readonly promptTokens: number
  /** Streams with fewer tokens than requested. Such a run cannot be compared. */
  readonly endedEarly: number
  readonly cachedTokens: number
  readonly wallSeconds: number
  readonly engineCpuSeconds: number
  readonly serverCpuSeconds: number
  readonly clientCpuSeconds: number
}

/** Figures of the long prompt: the first time, repeated, and with another ending. */
export interface LongPromptFigures {
  readonly promptTokens: number
  readonly promptTokensPerSecond: number
  readonly freshFirstTokenMs: number
  /** CPU time of the engine for the first prompt and its few tokens. */
  readonly freshEngineCpuSeconds: number
  readonly repeatedFirstTokenMs: number
  readonly repeatedCachedTokens: number
  readonly newEndingFirstTokenMs: number
  readonly newEndingCachedTokens: number
}

export interface RoundFigures {
  readonly peer: string
  readonly round: number
  readonly startMs: number
  /** MiB of a separate process that answers HTTP, before the first request. */
  readonly idleServerMib: number | undefined
  readonly serverMib: number | undefined
  readonly engineMib: number | undefined
  readonly levels: readonly LevelFigures[]
  readonly longPrompt: LongPromptFigures
}

/**
 * Starts the peer, measures every figure once, and stops it. Prompts depend only on seed and round, so that all peers
 * get the same.
 */
export async function measureRound(peer: Peer, round: number, settings: BenchSettings): Promise<RoundFigures> {
  const startMs = await peer.start()
  try {
    const idle = peer.processes().server
    const idleServerMib = idle === undefined ? undefined : residentMib(idle)
    await peer.run([{ ...makeJob(settings, 16, settings.seed), tokens: 4 }])
    const levels: LevelFigures[] = []
    for (const streams of settings.levels) levels.push(await measureLevel(peer, round, streams, settings))
    const longPrompt = await measureLongPrompt(peer, round, settings)
    const { server, engine } = peer.processes()
    return {
      peer: peer.name,
      round,
      startMs,
      idleServerMib,
      serverMib: server === undefined ? undefined : residentMib(server),
      engineMib: engine === undefined ? undefined : residentMib(engine),
      levels,
      longPrompt,
    }
  } finally {
    await peer.stop()
  }
}

/** Measures a number of streams of a running peer. */
export async function measureLevel(
  peer: Peer,
  round: number,
  streams: number,
  settings: Pick<BenchSettings, 'seed' | 'tokens' | 'temperature' | 'promptTokens'>,
): Promise<LevelFigures> {
  const firstSeed = settings.seed + 1_000_000 * round + 1000 * streams
  const jobs = Array.from({ length: streams }, (_, stream) =>
    makeJob(settings, settings.promptTokens, firstSeed + stream),
  )
  const { server, engine } = peer.processes()
  const usedSeconds = () => ({
    engine: engine === undefined ? 0 : cpuSeconds(engine),
    server: server === undefined ? 0 : cpuSeconds(server),
    client: cpuSeconds(process.pid),
  })
  const before = usedSeconds()
  const startMs = performance.now()
  const results = await peer.run(jobs)
  const wallSeconds = (performance.now() - startMs) / 1000
  const after = usedSeconds()

  const gaps = results.flatMap(gapsMs)
  return {
    streams,
    tokensPerSecond: sum(results, (result) => result.completionTokens) / wallSeconds,
    firstTokenP50Ms: median(results.map(firstTokenMs)),
    gapP50Ms: median(gaps),
    gapP99Ms: percentile(gaps, 0.99),
    promptTokens: sum(results, (result) => result.promptTokens),
    endedEarly: results.filter((result) => result.completionTokens !== settings.tokens).length,
    cachedTokens: sum(results, (result) => result.cachedTokens),
    wallSeconds,
    engineCpuSeconds: after.engine - before.engine,
    serverCpuSeconds: after.server - before.server,
    clientCpuSeconds: after.client - before.client,
  }
}

async function measureLongPrompt(peer: Peer, round: number, settings: BenchSettings): Promise<LongPromptFigures> {
  const seed = settings.seed + 1_000_000 * round + 999_000
  const job = { ...makeJob(settings, settings.longPromptTokens, seed), tokens: 8 }
  const kept = job.prompt.slice(0, job.prompt.length * 0.95)
  const { engine } = peer.processes()
  const usedSeconds = () => (engine === undefined ? 0 : cpuSeconds(engine))
  const beforeSeconds = usedSeconds()
  const fresh = await runOne(peer, job)
  const freshEngineCpuSeconds = usedSeconds() - beforeSeconds
  const repeated = await runOne(peer, job)
  const newEnding = await runOne(peer, { ...job, prompt: kept + makePrompt(settings.longPromptTokens / 20, seed + 1) })
  return {
    promptTokens: fresh.promptTokens,
    promptTokensPerSecond: (1000 * fresh.promptTokens) / firstTokenMs(fresh),
    freshFirstTokenMs: firstTokenMs(fresh),
    freshEngineCpuSeconds,
    repeatedFirstTokenMs: firstTokenMs(repeated),
    repeatedCachedTokens: repeated.cachedTokens,
    newEndingFirstTokenMs: firstTokenMs(newEnding),
    newEndingCachedTokens: newEnding.cachedTokens,
  }
}

async function runOne(peer: Peer, job: Job): Promise<JobResult> {
  const [result] = await peer.run([job])
  if (result === undefined) throw new Error(`${peer.name} gave no result`)
  return result
}

function makeJob(settings: Pick<BenchSettings, 'tokens' | 'temperature'>, promptTokens: number, seed: number): Job {
  return { prompt: makePrompt(promptTokens, seed), tokens: settings.tokens, temperature: settings.temperature, seed }
}

function sum(results: readonly JobResult[], of: (result: JobResult) => number): number {
  return results.reduce((total, result) => total + of(result), 0)
}
