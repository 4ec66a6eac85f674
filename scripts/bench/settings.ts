import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

export interface BenchSettings {
  /** GGUF file to serve; absent: the generated 0.5 B model. */
  readonly model: string | undefined
  readonly rounds: number
  /** Numbers of concurrent streams, ascending. */
  readonly levels: readonly number[]
  /** Tokens generated per stream. */
  readonly tokens: number
  /** Tokens (about) of the prompts of the concurrent streams. */
  readonly promptTokens: number
  /** Tokens (about) of the long prompt that measures prompt speed and the prefix cache. */
  readonly longPromptTokens: number
  /** CPU threads of each engine. */
  readonly threads: number
  readonly temperature: number
  readonly seed: number
  /** Names of the peers to run; those that are not available are skipped. */
  readonly peers: readonly string[]
  /** Command line that starts inferd. */
  readonly inferd: readonly string[]
  readonly llamaServer: string | undefined
  /** Further arguments for `inferd serve`, after ours. */
  readonly inferdArgs: readonly string[]
  /** Further arguments for llama-server, after ours. */
  readonly llamaServerArgs: readonly string[]
}

export const benchUsage = `usage: bun run bench:chat [--model FILE] [--rounds 3] [--streams 1,8,32] [--tokens 64] [--prompt-tokens 64]
  [--long-prompt-tokens 1500] [--threads cores-1] [--temperature 0.8] [--seed 1] [--quick]
  [--peers inferd,node-llama-cpp,llama-server,llama-server-unified] [--inferd COMMAND] [--inferd-args=ARGS]
  [--llama-server-args=ARGS]
LLAMA_SERVER=FILE names a llama-server binary to compare with.`

const text = { type: 'string' } as const

/** Reads the command line. Throws on unknown flags and values that make no sense. */
export function readSettings(args: readonly string[], llamaServer: string | undefined): BenchSettings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      model: text,
      rounds: text,
      streams: text,
      tokens: text,
      'prompt-tokens': text,
      'long-prompt-tokens': text,
      threads: text,
      temperature: text,
      seed: text,
      quick: { type: 'boolean', default: false },
      peers: text,
      inferd: text,
      'inferd-args': text,
      'llama-server-args': text,
    },
  })
  const levels = (values.streams ?? (values.quick ? '1,8' : '1,8,32'))
    .split(',')
    .map((level) => count('streams', level))
  return {
    model: values.model,
    rounds: count('rounds', values.rounds ?? (values.quick ? '1' : '3')),
    levels: levels.sort((a, b) => a - b),
    tokens: count('tokens', values.tokens ?? (values.quick ? '24' : '64')),
    promptTokens: count('prompt-tokens', values['prompt-tokens'] ?? '64'),
    longPromptTokens: count('long-prompt-tokens', values['long-prompt-tokens'] ?? '1500'),
    threads: count('threads', values.threads ?? String(Math.max(1, availableParallelism() - 1))),
    temperature: Number(values.temperature ?? 0.8),
    seed: Number(values.seed ?? 1),
    peers: (values.peers ?? 'inferd,node-llama-cpp,llama-server,llama-server-unified').split(','),
    inferd: words(values.inferd ?? `${process.execPath} src/main.ts`),
    inferdArgs: words(values['inferd-args'] ?? ''),
    llamaServer,
    llamaServerArgs: words(values['llama-server-args'] ?? ''),
  }
}

/** Context one sequence needs: the longest request, rounded up to what llama.cpp rounds to. */
export function contextTokensPerStream(settings: BenchSettings): number {
  const longest = Math.max(settings.longPromptTokens, settings.promptTokens) * 1.2 + settings.tokens + 64
  return Math.ceil(longest / 256) * 256
}

export function mostStreams(settings: BenchSettings): number {
  return Math.max(...settings.levels)
}

function count(name: string, value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} ${value}: not a positive whole number`)
  return number
}

function words(line: string): string[] {
  return line.split(' ').filter((word) => word !== '')
}
