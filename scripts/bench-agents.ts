/** Compares inferd with llama-server under agents, each with its own defaults. See docs/benchmarks.md. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { measureAgents, type RoundFigures } from './bench/agents/measure.ts'
import { renderReport } from './bench/agents/report.ts'
import { type AgentsSettings, agentsUsage, readSettings } from './bench/agents/settings.ts'
import { generatedModel } from './bench/chat/generated-model.ts'
import { InferdPeer } from './bench/chat/inferd-peer.ts'
import { LlamaServerPeer } from './bench/chat/llama-server-peer.ts'
import { type ServerPeer, stopOnSignal } from './bench/chat/peer.ts'
import { runScript } from './shared/command-line.ts'
import { readMachine } from './shared/machine.ts'

const root = join(import.meta.dir, '..')
const folder = join(root, 'build', 'bench')

async function main(): Promise<number> {
  const settings = readSettings(process.env.LLAMA_SERVER)
  await mkdir(folder, { recursive: true })
  const machine = await readMachine(settings.llamaServer)
  const model = settings.model === '' ? await generatedModel(root, 'Qwen-Qwen2.5-7B-Instruct') : settings.model
  const peers = makePeers(settings, model)
  stopOnSignal(peers)
  const rounds = await measureAll(peers, settings)
  const path = join(folder, `agents-${machine.date.replaceAll(':', '-')}.json`)
  await Bun.write(path, JSON.stringify({ machine, settings, model, rounds }, undefined, 2))
  console.log(renderReport({ machine, settings, model, peers, rounds }))
  console.error(`every round's figures: ${path}`)
  return 0
}

function makePeers(settings: AgentsSettings, model: string): ServerPeer[] {
  const { threads, llamaServer: binary, inferd, inferdArgs, llamaServerArgs } = settings
  const all: ServerPeer[] = [new InferdPeer(inferd, { model, threads, more: inferdArgs })]
  if (binary !== undefined)
    all.push(new LlamaServerPeer({ binary, isUnified: false }, { model, threads, more: llamaServerArgs }))
  return all.filter(({ name }) => settings.peers.includes(name))
}

/** Measures one peer at a time. Each round begins with another one, so that a drift of the machine favours none. */
async function measureAll(peers: readonly ServerPeer[], settings: AgentsSettings): Promise<RoundFigures[]> {
  const figures: RoundFigures[] = []
  const mixes = [...settings.levels, ...(settings.mixed > 0 ? (['mixed'] as const) : [])]
  for (let round = 0; round < settings.rounds; round++) {
    for (const mix of mixes) {
      for (const peer of round % 2 === 0 ? peers : peers.toReversed()) {
        const found = await measureAgents(peer, round, mix, settings)
        figures.push(found)
        const what = mix === 'mixed' ? mix : `${mix} agents`
        console.error(`round ${round + 1}: ${what}, ${peer.name}, ${found.wallSeconds.toFixed(1)} s`)
      }
    }
  }
  return figures
}

runScript(agentsUsage, main)
