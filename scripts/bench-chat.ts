/**
 * Compares inferd's chat speed with node-llama-cpp and llama-server on one machine in one run; see docs/benchmarks.md.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ceilingTable, measureCeilings } from './bench/chat/ceiling.ts'
import { generatedModel } from './bench/chat/generated-model.ts'
import { InferdPeer } from './bench/chat/inferd-peer.ts'
import { LlamaServerPeer } from './bench/chat/llama-server-peer.ts'
import { measureRound, type RoundFigures } from './bench/chat/measure.ts'
import { NodeLlamaCppPeer } from './bench/chat/node-llama-cpp-peer.ts'
import { type Peer, stopOnSignal } from './bench/chat/peer.ts'
import { renderReport } from './bench/chat/report.ts'
import {
  type BenchSettings,
  benchUsage,
  contextTokensPerStream,
  maximumStreams,
  readSettings,
} from './bench/chat/settings.ts'
import { runScript } from './shared/command-line.ts'
import { readMachine } from './shared/machine.ts'

const root = join(import.meta.dir, '..')
const folder = join(root, 'build', 'bench')

async function main(): Promise<number> {
  const settings = readSettings(process.env.LLAMA_SERVER)
  await mkdir(folder, { recursive: true })
  const machine = await readMachine(settings.llamaServer)
  const model = settings.model === '' ? await generatedModel(root) : settings.model
  const peers = makePeers(settings, model)
  stopOnSignal(peers)
  const rounds = await measureAll(peers, settings)
  const ceilings = settings.bareLoop ? await measureCeilings(root, model, settings) : undefined
  const path = join(folder, `chat-${machine.date.replaceAll(':', '-')}.json`)
  await Bun.write(path, JSON.stringify({ machine, settings, model, rounds, ceilings }, undefined, 2))
  console.log(renderReport({ machine, settings, model, peers, rounds }))
  const names = peers.map(({ name }) => name)
  if (ceilings !== undefined) console.log(ceilingTable(ceilings, names, rounds).join('\n'))
  console.error(`every round's figures: ${path}`)
  return 0
}

function makePeers(settings: BenchSettings, model: string): Peer[] {
  const { threads, llamaServer: binary } = settings
  const contextTokens = contextTokensPerStream(settings)
  const options = { model, threads, sized: { contextTokens, streams: maximumStreams(settings) } }
  const ours = { ...options, more: settings.inferdArgs }
  const all: Peer[] = [
    new InferdPeer(settings.inferd, ours),
    new InferdPeer(settings.inferd, ours, 'one'),
    new InferdPeer(settings.inferd, ours, 'default'),
    new NodeLlamaCppPeer({ model, threads, contextTokens }),
  ]
  if (binary !== undefined) {
    const more = settings.llamaServerArgs
    all.push(...[false, true].map((isUnified) => new LlamaServerPeer({ binary, isUnified }, { ...options, more })))
  }
  return all.filter((peer) => settings.peers.includes(peer.name))
}

/** Measures one peer at a time. Each round begins with another one, so that a drift of the machine favours none. */
async function measureAll(peers: readonly Peer[], settings: BenchSettings): Promise<RoundFigures[]> {
  const figures: RoundFigures[] = []
  for (let round = 0; round < settings.rounds; round++) {
    for (let turn = 0; turn < peers.length; turn++) {
      const peer = peers[(round + turn) % peers.length]
      if (peer === undefined) continue
      const startMs = performance.now()
      figures.push(await measureRound(peer, round, settings))
      const seconds = ((performance.now() - startMs) / 1000).toFixed(0)
      console.error(`round ${round + 1} of ${settings.rounds}: ${peer.name}, ${seconds} s`)
    }
  }
  return figures
}

runScript(benchUsage, main)
