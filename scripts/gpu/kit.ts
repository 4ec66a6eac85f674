import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BenchSize } from '../bench/chat/bench-plan.ts'
import { type InferdServer, startInferd } from '../shared/inferd-server.ts'
import { childrenOf } from '../shared/process-usage.ts'
import type { Client } from '../smoke/client.ts'
import type { Scope } from './parts.ts'

/** Unpacked kit, and how to run it. */
export interface Kit {
  readonly folder: string
  /** Command line that starts inferd. */
  readonly inferd: readonly string[]
  /** Device that is compared with the CPU. */
  readonly device: string
  readonly size: BenchSize
  /** A generated chat model. */
  readonly model: string
  readonly streams: readonly number[]
  /** File to which the logs of all servers are added. */
  readonly logFile: string
  /** llama.cpp's programs in the kit. Undefined if it was packed without them. */
  readonly llamaServer: string | undefined
  readonly batchedBench: string | undefined
}

type Prepare = Parameters<typeof startInferd>[2]

const nothing: Prepare = () => Promise.resolve()

/** Starts a server, which ends with the part. */
export async function startServer(
  { inferd, logFile }: Kit,
  scope: Scope,
  options: readonly string[],
  prepare: Prepare = nothing,
): Promise<InferdServer> {
  const server = await startInferd(inferd, options, prepare, logFile)
  scope.add(() => server.stop())
  return server
}

export function clientOf({ baseUrl, apiKey }: InferdServer): Client {
  return { url: baseUrl.replace(/\/v1$/, ''), key: apiKey }
}

export interface EngineRow {
  readonly model: string
  readonly state: string | undefined
  readonly device: string | undefined
  /** Engine's own description of how it computes. */
  readonly description: string | undefined
  readonly estimatedBytes: number | undefined
  readonly usedBytes: number | undefined
}

/** Returns `inferd ps`'s rows of loaded models. */
export async function engineRows({ inferd }: Kit, { data }: InferdServer): Promise<EngineRow[]> {
  const child = Bun.spawn([...inferd, 'ps', '--data', data, '--json'], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const output = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`inferd ps failed: ${output}${await child.stderr.text()}`)
  const { engines } = JSON.parse(output) as { engines: Record<string, unknown>[] }
  return engines.map((engine) => ({
    model: textIn(engine, 'modelId') ?? 'unknown',
    state: textIn(engine, 'state'),
    device: textIn(engine.info, 'device') ?? textIn(engine, 'placement'),
    description: textIn(engine.info, 'description'),
    estimatedBytes: bytesIn(engine, 'estimatedBytes'),
    usedBytes: bytesIn(engine, 'usedBytes'),
  }))
}

/** Returns the folder of llama.cpp's libraries that a server's engines have loaded; undefined if none has. */
export function loadedLibraries({ pid }: InferdServer): string | undefined {
  for (const child of childrenOf(pid)) {
    const library = /\S*\/libggml-base\.so/.exec(readFileSync(`/proc/${child}/maps`, 'utf8'))?.[0]
    if (library !== undefined) return dirname(library)
  }
  return undefined
}

/** Returns the folder of the CUDA backend, from that of llama.cpp's loaded libraries. */
export function cudaFolder(libraries: string): string {
  return libraries.replaceAll(/linux-x64(-vulkan|-cuda)?(?=\/|$)/g, 'linux-x64-cuda')
}

export function asset({ folder }: Kit, name: string): string {
  return join(folder, 'assets', name)
}

function textIn(value: unknown, field: string): string | undefined {
  const text = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
  return typeof text === 'string' ? text : undefined
}

/** Memory is a number, or an object by pool. */
function bytesIn(value: Record<string, unknown>, field: string): number | undefined {
  const found = value[field]
  if (typeof found === 'number') return found
  if (typeof found !== 'object' || found === null) return undefined
  const numbers = Object.values(found).filter((each) => typeof each === 'number')
  return numbers.length === 0 ? undefined : numbers.reduce((sum, each) => sum + each, 0)
}
