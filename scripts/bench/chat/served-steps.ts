/** Compares the steps of a whole server with the bare loop: the cost of each phase, and the share of the ceiling. */
import { markdownTable } from '../../shared/markdown-table.ts'
import { type BareLevel, bareLoopProgram, runBareLoop } from './bare-loop.ts'
import { type CacheChoice, InferdPeer } from './inferd-peer.ts'
import { measureLevel } from './measure.ts'
import { type DecodeSteps, phasesText, watchSteps } from './watch-steps.ts'

export interface ServedStepsOptions {
  readonly root: string
  /** Command line that starts inferd. */
  readonly inferd: readonly string[]
  readonly model: string
  readonly cache: Exclude<CacheChoice, 'default'>
  readonly streams: readonly number[]
  readonly promptTokens: number
  readonly tokens: number
  readonly threads: number
}

/** Returns a Markdown table: tokens per second while all streams decode, those of the bare loop, their ratio, and the phases. */
export async function servedSteps(options: ServedStepsOptions): Promise<string> {
  const { root, cache, streams } = options
  const bare = await runBareLoop(await bareLoopProgram(root), { ...options, isUnified: cache === 'one' })
  const served = await serve(options)
  const rows = streams.map((level) => row(level, served.get(level), bare))
  return markdownTable([`cache: ${cache}; streams`, 'tokens/s', 'bare loop', 'ratio', 'phases'], rows).join('\n')
}

function row(level: number, steps: DecodeSteps | undefined, bare: readonly BareLevel[]): string[] {
  const ceiling = bare.find(({ streams }) => streams === level)?.tokensPerSecond
  if (steps === undefined || ceiling === undefined)
    return [`${level}`, '', '', '', 'too few steps: ask for more tokens']
  const { tokensPerSecond } = steps
  return [
    ...[`${level}`, tokensPerSecond.toFixed(1), ceiling.toFixed(1), (tokensPerSecond / ceiling).toFixed(2)],
    phasesText(steps),
  ]
}

async function serve(options: ServedStepsOptions): Promise<Map<number, DecodeSteps | undefined>> {
  const { inferd, model, cache, streams, promptTokens, tokens, threads } = options
  const contextTokens = Math.ceil((1.2 * promptTokens + tokens + 64) / 256) * 256
  const sized = { streams: Math.max(...streams), contextTokens }
  const peer = new InferdPeer(inferd, { model, threads, sized, more: [] }, cache)
  const settings = { seed: 1, temperature: 0.8, promptTokens, tokens }
  const levels = new Map<number, DecodeSteps | undefined>()
  try {
    await peer.start()
    await measureLevel(peer, 1, 1, { ...settings, tokens: 4 })
    for (const level of streams) {
      const run = () => measureLevel(peer, 0, level, settings)
      const { decoding } = await watchSteps(peer.server(), { streams: level, tokens }, run)
      levels.set(level, decoding)
    }
  } finally {
    await peer.stop()
  }
  return levels
}
