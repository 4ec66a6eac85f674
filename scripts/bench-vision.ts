/** Compares the cost of pictures with llama-server's, with the same files. See docs/benchmarks.md. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { InferdPeer } from './bench/chat/inferd-peer.ts'
import { LlamaServerPeer } from './bench/chat/llama-server-peer.ts'
import type { ServerPeer } from './bench/chat/peer.ts'
import { generatedFiles } from './bench/vision/generated-files.ts'
import { measureRound, type VisionRound } from './bench/vision/measure.ts'
import { renderVisionReport } from './bench/vision/report.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { describeMachine, readMachine } from './shared/machine.ts'

const usage = `usage: bun run bench:vision [--model FILE --mmproj FILE] [--rounds 3] [--pictures 4] [--tokens 128]
  [--threads cores-1] [--inferd COMMAND]
LLAMA_SERVER=FILE names a llama-server binary to compare with.`
const root = join(import.meta.dir, '..')
/** Six streams, and two clients beside them. */
const streams = 8
const contextTokens = 2048

async function main(): Promise<number> {
  const { rounds, pictures, tokens, threads, ...flags } = readFlags({
    ...{ model: '', mmproj: '', rounds: 3, pictures: 4, tokens: 128, threads: Math.max(1, availableParallelism() - 1) },
    inferd: `${process.execPath} src/main.ts`,
  })
  if ((flags.model === '') !== (flags.mmproj === '')) throw new Error('--model and --mmproj: give both or neither')
  if (rounds === 0 || pictures === 0) throw new Error('--rounds and --pictures: at least 1')
  const given = { model: flags.model, projector: flags.mmproj }
  const files = flags.model === '' ? await generatedFiles(root) : given
  const options = { ...files, threads, sized: { streams, contextTokens }, more: [] }
  const binary = process.env.LLAMA_SERVER
  const machine = await readMachine(binary)
  const peers: ServerPeer[] = [
    new InferdPeer(flags.inferd.split(' '), options),
    ...(binary === undefined ? [] : [new LlamaServerPeer({ binary, isUnified: false }, options)]),
  ]
  const figures: VisionRound[] = []
  for (let round = 0; round < rounds; round++) {
    for (const peer of round % 2 === 0 ? peers : peers.toReversed()) {
      figures.push(await measureRound(peer, round, { pictures, tokens }))
      console.error(`round ${round + 1} of ${rounds}: ${peer.name}`)
    }
  }
  const { lines, missed } = renderVisionReport(figures)
  const conditions = [
    ...describeMachine(machine),
    `- ${Object.values(files).join(', ')}; ${rounds} interleaved rounds, medians; ${threads} CPU threads for each`,
    ...peers.map((peer) => `- ${peer.name}: \`${peer.description}\``),
  ]
  console.log(['# Vision benchmark', '', ...conditions, '', ...lines].join('\n'))
  for (const miss of missed) console.error(`misses the goal: ${miss}`)
  return missed.length === 0 ? 0 : 1
}

runScript(usage, main)
