import { availableParallelism } from 'node:os'
import { readCounts, readFlags, words } from '../../shared/command-line.ts'

export const agentsUsage = `usage: bun run bench:agents [--agents 1,4,8] [--turns 30] [--scale 0.1] [--mixed 60] [--mixed-clients 8] [--rounds 3]
  [--threads cores-1] [--seed 1] [--model FILE] [--peers inferd,llama-server] [--inferd COMMAND] [--inferd-args=ARGS]
  [--llama-server-args=ARGS]
LLAMA_SERVER=FILE names a llama-server binary to compare with.`

const flags = {
  /** Numbers of agents that work side by side. Empty for none. */
  agents: '1,4,8',
  turns: 30,
  /** Factor of the real lengths and pauses. At 1, each agent grows to 16,000 to 30,000 tokens. */
  scale: 0.1,
  /** Requests of the second mix, of short chats and long documents. 0 leaves it out. */
  mixed: 60,
  /** Its clients. */
  mixedClients: 8,
  rounds: 3,
  /** CPU threads of each engine. */
  threads: Math.max(1, availableParallelism() - 1),
  seed: 1,
  /** GGUF file to serve, whose template must know tools. Empty for the generated 0.5 B model. */
  model: '',
  peers: 'inferd,llama-server',
  /** Command line that starts inferd. */
  inferd: `${process.execPath} src/main.ts`,
  /** Further arguments, as an operator would set them. */
  inferdArgs: '',
  llamaServerArgs: '',
}

export type AgentsSettings = ReturnType<typeof readSettings>

/** Reads the command line. Throws on unknown flags and values that make no sense. */
export function readSettings(llamaServer: string | undefined) {
  const given = readFlags(flags)
  if (!(given.scale > 0)) throw new Error('--scale: not a number above 0')
  return {
    ...given,
    levels: given.agents === '' ? [] : readCounts('agents', given.agents),
    peers: given.peers.split(','),
    inferd: words(given.inferd),
    inferdArgs: words(given.inferdArgs),
    llamaServer,
    llamaServerArgs: words(given.llamaServerArgs),
  }
}
