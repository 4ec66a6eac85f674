/**
 * Measures what inferd in front of another server adds to that server's own times, in turns. See docs/benchmarks.md.
 */
import { join } from 'node:path'
import { generatedModel } from './bench/chat/generated-model.ts'
import { LlamaServerPeer } from './bench/chat/llama-server-peer.ts'
import type { ChatTarget } from './bench/chat/stream-chat.ts'
import { type Front, startFront } from './bench/upstream/inferd-in-front.ts'
import { measureLeaving } from './bench/upstream/leaving.ts'
import { type Load, type LoadFigures, runLoad } from './bench/upstream/load.ts'
import { type Level, leavingTable, levelTable, missedGoals } from './bench/upstream/report.ts'
import { startScriptedUpstream } from './bench/upstream/scripted-upstream.ts'
import { readCounts, readFlags, runScript } from './shared/command-line.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { residentMib } from './shared/process-usage.ts'

const usage = `usage: bun run bench:upstream [--rounds 5] [--streams 1,32,256] [--seconds 4] [--rate 1500] [--full-speed-tokens 20000]
  [--inferd COMMAND] [--llama-server FILE] [--model FILE]`
const root = join(import.meta.dir, '..')
/** Tokens of each paced answer. */
const tokens = 32
const leastPaceMs = 10
/** Pace of the answers that clients leave. */
const slowPaceMs = 200

async function main(): Promise<number> {
  const flags = readFlags({
    rounds: 5,
    streams: '1,32,256',
    /** Duration of each paced measurement. */
    seconds: 4,
    /** Tokens per second of all paced streams together, far below the machine's limit. */
    rate: 1500,
    fullSpeedTokens: 20_000,
    inferd: `${process.execPath} src/main.ts`,
    llamaServer: '',
    model: '',
  })
  const command = flags.inferd.split(' ')
  const streams = readCounts('streams', flags.streams)
  const machine = await readMachine(flags.llamaServer === '' ? undefined : flags.llamaServer)
  console.log([...describeMachine(machine), ''].join('\n'))
  const missed = await scriptedBehind({ ...flags, streams, command })
  if (flags.llamaServer !== '') missed.push(...(await llamaServerBehind({ ...flags, streams, command })))
  for (const goal of missed) console.error(goal)
  return missed.length > 0 ? 1 : 0
}

interface Settings {
  readonly rounds: number
  readonly streams: readonly number[]
  readonly seconds: number
  readonly rate: number
  readonly fullSpeedTokens: number
  readonly command: readonly string[]
  readonly llamaServer: string
  readonly model: string
}

async function scriptedBehind({ rounds, streams, seconds, rate, fullSpeedTokens, command }: Settings) {
  const pacesMs = streams.map((count) => Math.max(leastPaceMs, Math.round((count * 1000) / rate)))
  const allPacesMs = [...new Set([...pacesMs, 0, slowPaceMs])]
  await using upstream = await startScriptedUpstream(allPacesMs)
  const paced = streams.map((count, index): LevelPlan => {
    const paceMs = pacesMs[index] ?? 0
    const answerMs = paceMs * tokens
    const answers = Math.max(1, Math.round((seconds * 1000) / answerMs))
    return { name: `${paceMs} ms`, model: `pace-${paceMs}`, streams: count, tokens, answers, answerMs }
  })
  const atFullSpeed = streams.map((count): LevelPlan => {
    const each = Math.ceil(fullSpeedTokens / count)
    return { name: 'full speed', model: 'pace-0', streams: count, tokens: each, answers: 1, answerMs: 0 }
  })
  await using front = await startFront({
    command,
    flavor: 'vllm',
    baseUrl: upstream.baseUrl,
    models: allPacesMs.map((paceMs) => `pace-${paceMs}`),
    maxConcurrent: Math.max(...streams),
    contextTokens: 65_536,
  })
  const direct = (model: string) => ({ baseUrl: upstream.baseUrl, apiKey: 'none', model })
  const idleMib = residentMib(front.pid)
  const pacedLevels = await measure(paced, rounds, direct, front)
  console.log(['A scripted server, paced:', '', ...levelTable(pacedLevels), ''].join('\n'))
  const fullLevels = await measure(atFullSpeed, rounds, direct, front)
  console.log(['The same at full speed:', '', ...levelTable(fullLevels), ''].join('\n'))
  console.log(
    ['Clients that disconnect:', '', ...leavingTable(await leaving(front, upstream.baseUrl, streams)), ''].join('\n'),
  )
  console.log(
    `inferd holds ${idleMib.toFixed(0)} MiB before the first request, ${residentMib(front.pid).toFixed(0)} after.\n`,
  )
  return missedGoals(pacedLevels)
}

async function leaving(front: Front, upstreamUrl: string, streams: readonly number[]) {
  const model = `pace-${slowPaceMs}`
  // One time more than is counted, to warm up.
  await measureLeaving(front.target(model), upstreamUrl, Math.max(...streams))
  const found: { streams: number; delaysMs: number[] }[] = []
  for (const count of streams) {
    const repeats = Math.ceil(32 / count)
    const delaysMs: number[] = []
    for (let time = 0; time < repeats; time++)
      delaysMs.push(...(await measureLeaving(front.target(model), upstreamUrl, count)))
    found.push({ streams: count, delaysMs })
  }
  return found
}

async function llamaServerBehind({ rounds, streams, command, llamaServer, model }: Settings) {
  const most = 32
  const counts = streams.filter((count) => count <= most)
  const peer = new LlamaServerPeer(
    { binary: llamaServer, isUnified: false },
    {
      model: model === '' ? await generatedModel(root) : model,
      threads: 1,
      sized: { streams: Math.max(...counts), contextTokens: 512 },
      more: ['--alias', 'bench'],
    },
  )
  await peer.start()
  try {
    const { baseUrl } = peer.target()
    await using front = await startFront({
      command,
      flavor: 'llamacpp',
      baseUrl,
      models: ['bench'],
      maxConcurrent: most,
      contextTokens: 512,
    })
    const plans = counts.map((count): LevelPlan => {
      const each = Math.max(16, Math.round(128 / count))
      return { name: 'llama-server', model: 'bench', streams: count, tokens: each, answers: 1, answerMs: 0 }
    })
    const levels = await measure(plans, rounds, () => peer.target(), front)
    console.log(['llama-server:', '', ...levelTable(levels), ''].join('\n'))
    return missedGoals(levels)
  } finally {
    await peer.stop()
  }
}

interface LevelPlan extends Pick<Load, 'streams' | 'tokens' | 'answers' | 'answerMs'> {
  readonly name: string
  readonly model: string
}

/**
 * Measures both ways of each level in each round, in alternating order. The first round warms up and does not count.
 */
async function measure(
  plans: readonly LevelPlan[],
  rounds: number,
  direct: (model: string) => ChatTarget,
  front: Front,
): Promise<Level[]> {
  const levels = plans.map(({ name, streams }) => ({
    name,
    streams,
    direct: [] as LoadFigures[],
    through: [] as LoadFigures[],
  }))
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { name, model, ...plan }] of plans.entries()) {
      const load = { ...plan, promptTokens: 64, pid: front.pid }
      const ways = [
        ['direct', direct(model)],
        ['through', front.target(model)],
      ] as const
      for (const [turn, [way, target]] of (round % 2 === 0 ? ways : ways.toReversed()).entries()) {
        // Different prompts, so that no cache has them.
        const figures = await runLoad({ ...load, target, seed: 1_000_000 * (round * 2 + turn) })
        if (round > 0) levels[index]?.[way].push(figures)
      }
    }
  }
  return levels
}

runScript(usage, main)
