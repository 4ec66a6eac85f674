import { availableParallelism } from 'node:os'
import { readCounts, readFlags, words } from '../../shared/command-line.ts'

export const benchUsage = `usage: bun run bench:chat [--model FILE] [--rounds 3] [--streams 1,8,32] [--tokens 64] [--prompt-tokens 64]
  [--long-prompt-tokens 1500] [--threads cores-1] [--temperature 0.8] [--seed 1] [--quick] [--bare-loop]
  [--peers inferd,inferd-one-cache,inferd-default,node-llama-cpp,llama-server,llama-server-unified] [--inferd COMMAND]
  [--inferd-args=ARGS] [--llama-server-args=ARGS]
LLAMA_SERVER=FILE names a llama-server binary to compare with.`

const flags = {
  /** GGUF file to serve. Empty for the generated 0.5 B model. */
  model: '',
  rounds: 3,
  /** Numbers of concurrent streams. */
  streams: '1,8,32',
  /** Generated tokens per stream. */
  tokens: 64,
  /** Approximate tokens of the concurrent streams' prompts. */
  promptTokens: 64,
  /** Approximate tokens of the long prompt, which measures prompt speed and the prefix cache. */
  longPromptTokens: 1500,
  /** CPU threads of each engine. */
  threads: Math.max(1, availableParallelism() - 1),
  temperature: 0.8,
  seed: 1,
  /** Names of the peers to run. Unavailable ones are skipped. */
  peers: 'inferd,inferd-default,node-llama-cpp,llama-server,llama-server-unified',
  /** Command line that starts inferd. */
  inferd: `${process.execPath} src/main.ts`,
  /** Further arguments for `inferd serve`, after those of the benchmark. */
  inferdArgs: '',
  /** Further arguments for llama-server, likewise. */
  llamaServerArgs: '',
  /** True to measure llama.cpp's bare loop too, which is compiled at its first use. */
  bareLoop: false,
  quick: false,
}
const quickFlags = { rounds: 1, streams: '1,8', tokens: 24 }

export type BenchSettings = ReturnType<typeof readSettings>

/** Reads the command line. Throws on unknown flags and values that make no sense. */
export function readSettings(llamaServer: string | undefined) {
  const { quick } = readFlags(flags)
  const given = readFlags(quick ? { ...flags, ...quickFlags } : flags)
  return {
    ...given,
    /** Numbers of concurrent streams, ascending. */
    levels: readCounts('streams', given.streams).sort((a, b) => a - b),
    peers: given.peers.split(','),
    inferd: words(given.inferd),
    inferdArgs: words(given.inferdArgs),
    llamaServer,
    llamaServerArgs: words(given.llamaServerArgs),
  }
}

/** Returns the context of one sequence: the longest request, rounded up as llama.cpp does. */
export function contextTokensPerStream(settings: BenchSettings): number {
  const maximum = Math.max(settings.longPromptTokens, settings.promptTokens) * 1.2 + settings.tokens + 64
  return Math.ceil(maximum / 256) * 256
}

export function maximumStreams(settings: BenchSettings): number {
  return Math.max(...settings.levels)
}
