/** llama.cpp's bare loop as the ceiling of a chat benchmark. */
import { markdownTable } from '../../shared/markdown-table.ts'
import { median } from '../../shared/statistics.ts'
import { type BareLevel, bareLoopProgram, runBareLoop } from './bare-loop.ts'
import type { RoundFigures } from './measure.ts'
import type { BenchSettings } from './settings.ts'

/** Tokens per second of whole runs, prompts included, by number of streams. */
export type Ceiling = readonly (readonly [streams: number, tokensPerSecond: number])[]

/** Ceilings by layout of the KV cache. */
export type Ceilings = Readonly<Record<'a cache for each' | 'one cache', Ceiling>>

export async function measureCeilings(root: string, model: string, settings: BenchSettings): Promise<Ceilings> {
  const program = await bareLoopProgram(root)
  const { levels: streams, promptTokens, tokens, threads } = settings
  const run = async (isUnified: boolean) => {
    const levels = await runBareLoop(program, { model, streams, promptTokens, tokens, threads, isUnified })
    return levels.map((level) => [level.streams, wholeRun(level, settings)] as const)
  }
  return { 'a cache for each': await run(false), 'one cache': await run(true) }
}

/** Returns a table of the ceilings, and of each peer's share of the higher one. */
export function ceilingTable(ceilings: Ceilings, names: readonly string[], rounds: readonly RoundFigures[]): string[] {
  const rows = ceilings['a cache for each'].map(([streams, each]) => {
    const one = ceilings['one cache'].find(([level]) => level === streams)?.[1] ?? 0
    const shares = names.map((name) => {
      const levels = rounds.filter(({ peer }) => peer === name).flatMap((round) => round.levels)
      const reached = levels.filter((level) => level.streams === streams).map((level) => level.tokensPerSecond)
      return (median(reached) / Math.max(each, one)).toFixed(2)
    })
    return [`${streams}`, each.toFixed(1), one.toFixed(1), ...shares]
  })
  return [
    '## Bare loop of llama.cpp (tokens/s of whole runs), and the share of the higher one that each reaches',
    '',
    ...markdownTable(['streams', 'a cache for each', 'one cache', ...names], rows),
  ]
}

function wholeRun(
  { promptTokensPerSecond, tokensPerSecond }: BareLevel,
  { promptTokens, tokens }: Pick<BenchSettings, 'promptTokens' | 'tokens'>,
): number {
  return tokens / (promptTokens / promptTokensPerSecond + tokens / tokensPerSecond)
}
