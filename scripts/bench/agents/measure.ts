import { cpuSeconds } from '../../shared/process-usage.ts'
import type { ServerPeer } from '../chat/peer.ts'
import { streamChat } from '../chat/stream-chat.ts'
import { agentScript } from './agent-script.ts'
import { type AgentFigures, agentFigures, type MixedFigures, mixedFigures, type Spent } from './figures.ts'
import { mixedJobs, runMixed } from './mixed-load.ts'
import { runAgents } from './run-agents.ts'
import type { AgentsSettings } from './settings.ts'

/** Figures of one peer in one round with one mix. */
export type RoundFigures = { readonly peer: string; readonly round: number } & Spent &
  (({ readonly mix: 'agents'; readonly agents: number } & AgentFigures) | ({ readonly mix: 'mixed' } & MixedFigures))

/** Starts the peer with empty caches, and runs one mix: a number of agents, or the mixed load. */
export async function measureAgents(
  peer: ServerPeer,
  round: number,
  mix: number | 'mixed',
  settings: AgentsSettings,
): Promise<RoundFigures> {
  await peer.start()
  try {
    const target = peer.target()
    await streamChat(target, { prompt: 'begin', tokens: 4, temperature: 0, seed: 1 })
    const options = { turns: settings.turns, scale: settings.scale, seed: settings.seed + 1_000_000 * round }
    if (mix === 'mixed') {
      const jobs = mixedJobs(settings.mixed, options)
      const { spent, result } = await measured(peer, () => runMixed(target, jobs, settings.mixedClients))
      return { peer: peer.name, round, mix, ...spent, ...mixedFigures(result) }
    }
    const { spent, result } = await measured(peer, () => runAgents(target, mix, options))
    const { task, turns } = agentScript(0, options)
    // Each word is a token, and the markers around the task are a few more.
    const sharedTokens = (result[0]?.[0]?.promptTokens ?? 0) - task.split(' ').length - 8
    const figures = agentFigures(result, sharedTokens, turns[0]?.answerTokens ?? 0)
    return { peer: peer.name, round, mix: 'agents', agents: mix, ...spent, ...figures }
  } finally {
    await peer.stop()
  }
}

async function measured<Result>(
  peer: ServerPeer,
  run: () => Promise<Result>,
): Promise<{ spent: Spent; result: Result }> {
  const { server, engine } = peer.processes()
  const used = (pid: number | undefined) => (pid === undefined ? 0 : cpuSeconds(pid))
  const before = { server: used(server), engine: used(engine) }
  const startMs = performance.now()
  const result = await run()
  return {
    result,
    spent: {
      wallSeconds: (performance.now() - startMs) / 1000,
      engineCpuSeconds: used(engine) - before.engine,
      serverCpuSeconds: used(server) - before.server,
    },
  }
}
