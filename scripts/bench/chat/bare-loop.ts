/** llama.cpp's bare decode loop, `llama-batched-bench`: the upper limit of a server that uses this library. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { textParts } from '../../../src/testing/text-parts.ts'
import { shippedLibraries } from '../../cuda/places.ts'
import { buildBatchedBench } from '../../gpu/batched-bench.ts'

export interface BareLoopOptions {
  readonly model: string
  readonly streams: readonly number[]
  readonly promptTokens: number
  readonly tokens: number
  readonly threads: number
  /** True for one KV cache of all streams. */
  readonly isUnified: boolean
}

export interface BareLevel {
  readonly streams: number
  /** Tokens per second of prompts, and of answers after them. */
  readonly promptTokensPerSecond: number
  readonly tokensPerSecond: number
}

/** Returns the path of the program, which is compiled once below `build/`, beside the CPU's backends. */
export async function bareLoopProgram(root: string): Promise<string> {
  const folder = join(root, 'build', 'bare-loop')
  const program = join(folder, 'llama-batched-bench')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  await buildBatchedBench(root, folder, program)
  return program
}

/** Runs the loop on the CPU with each number of streams. Rejects with the program's last output if it fails. */
export async function runBareLoop(
  program: string,
  { model, streams, promptTokens, tokens, threads, isUnified }: BareLoopOptions,
): Promise<readonly BareLevel[]> {
  const cells = Math.max(...streams) * Math.ceil((promptTokens + tokens + 1) / 256) * 256
  const words = [
    ...['-m', model, '-c', `${cells}`, '-npp', `${promptTokens}`, '-ntg', `${tokens}`, '-npl', streams.join(',')],
    ...['-t', `${threads}`, '-tb', `${threads}`, '-b', '512', '-ub', '512', '--output-format', 'jsonl', '-ngl', '0'],
    ...[isUnified ? '-kvu' : '-no-kvu'],
  ]
  const libraries = shippedLibraries(join(dirname(program), '..', '..'), 'cpu')
  const env = { ...process.env, LD_LIBRARY_PATH: libraries, GGML_BACKEND_PATH: undefined }
  const child = Bun.spawn([program, ...words], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', cwd: libraries, env })
  const errors = child.stderr.text()
  const levels: BareLevel[] = []
  for await (const line of textParts(child.stdout)) {
    if (!line.startsWith('{')) continue
    // Parse boundary: the program's own form.
    const { pl, speed_tg, speed_pp } = JSON.parse(line) as { pl: number; speed_tg: number; speed_pp: number }
    levels.push({ streams: pl, promptTokensPerSecond: speed_pp, tokensPerSecond: speed_tg })
  }
  const code = await child.exited
  if (code !== 0) throw new Error(`llama-batched-bench ended with ${code}: ${(await errors).slice(-300)}`)
  return levels
}
