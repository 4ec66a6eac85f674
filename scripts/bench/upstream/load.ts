import { cpuSeconds } from '../../shared/process-usage.ts'
import { percentile } from '../../shared/statistics.ts'
import type { JobResult } from '../chat/job.ts'
import { makePrompt } from '../chat/prompts.ts'
import { type ChatTarget, streamChat } from '../chat/stream-chat.ts'

export interface Load {
  readonly target: ChatTarget
  readonly streams: number
  /** Tokens of each answer. */
  readonly tokens: number
  /** Answers of each stream, one after the other. */
  readonly answers: number
  /** Approximate duration of an answer, over which the starts of the streams are spread. 0 starts all at once. */
  readonly answerMs: number
  /** Process whose CPU time counts. */
  readonly pid: number | undefined
  readonly promptTokens: number
  readonly seed: number
}

export interface LoadFigures {
  readonly firstP50Ms: number
  readonly firstP99Ms: number
  readonly gapP99Ms: number
  readonly tokens: number
  readonly tokensPerSecond: number
  readonly cpuSeconds: number
}

/** Requests all answers, and measures them. Throws if one is incomplete. */
export async function runLoad(load: Load): Promise<LoadFigures> {
  const { streams, answerMs, pid } = load
  const usedSeconds = () => (pid === undefined ? 0 : cpuSeconds(pid))
  const [startMs, startCpu] = [performance.now(), usedSeconds()]
  const results = (
    await Promise.all(
      Array.from({ length: streams }, async (_, stream) => {
        await Bun.sleep((answerMs * stream) / streams)
        return runStream(load, stream)
      }),
    )
  ).flat()
  const seconds = (performance.now() - startMs) / 1000
  const firstMs = results.map(({ arrivalsMs }) => arrivalsMs[0] ?? Number.NaN)
  const gapsMs = results.flatMap(({ arrivalsMs }) =>
    arrivalsMs.slice(1).map((ms, index) => ms - (arrivalsMs[index] ?? 0)),
  )
  const tokens = results.reduce((sum, { completionTokens }) => sum + completionTokens, 0)
  return {
    firstP50Ms: percentile(firstMs, 0.5),
    firstP99Ms: percentile(firstMs, 0.99),
    gapP99Ms: percentile(gapsMs, 0.99),
    tokens,
    tokensPerSecond: tokens / seconds,
    cpuSeconds: usedSeconds() - startCpu,
  }
}

async function runStream(
  { target, tokens, answers, promptTokens, seed }: Load,
  stream: number,
): Promise<readonly JobResult[]> {
  const results: JobResult[] = []
  for (let answer = 0; answer < answers; answer++) {
    const jobSeed = seed + 1000 * answer + stream
    const result = await streamChat(target, {
      prompt: makePrompt(promptTokens, jobSeed),
      tokens,
      temperature: 0.8,
      seed: jobSeed,
    })
    if (result.completionTokens > tokens) throw new Error(`${result.completionTokens} tokens instead of ${tokens}`)
    results.push(result)
  }
  return results
}
