import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'

/** Facts that a reader needs to judge or repeat the figures. */
export interface MachineFacts {
  readonly date: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGib: number
  /** Load of the last minute when the benchmark began. Far above 0, it means that something else ran. */
  readonly loadAtStart: number
  readonly bun: string
  readonly nodeLlamaCpp: string
  readonly llamaCpp: string
  readonly commit: string
  readonly llamaServer: string | undefined
}

const root = join(import.meta.dir, '..', '..')

/** Reads versions from the installed packages, and that of the llama-server binary by running it. */
export async function readMachine(llamaServer?: string): Promise<MachineFacts> {
  const packageFolder = join(root, 'node_modules', 'node-llama-cpp')
  return {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    loadAtStart: loadavg()[0] ?? 0,
    bun: Bun.version,
    nodeLlamaCpp: readField(join(packageFolder, 'package.json'), 'version'),
    llamaCpp: readField(join(packageFolder, 'llama', 'binariesGithubRelease.json'), 'release'),
    commit: (await $`git -C ${root} describe --always --dirty`.nothrow().quiet().text()).trim(),
    llamaServer: llamaServer === undefined ? undefined : await llamaServerVersion(llamaServer),
  }
}

/** Returns the first lines of every report. */
export function describeMachine(machine: MachineFacts): string[] {
  const { date, cpu, cores, memoryGib, loadAtStart, commit, bun, nodeLlamaCpp, llamaCpp, llamaServer } = machine
  const peer = llamaServer === undefined ? '' : `, llama-server ${llamaServer}`
  return [
    `- ${date}, ${cpu}, ${cores} cores, ${memoryGib} GiB, load at start ${loadAtStart.toFixed(2)}`,
    `- inferd ${commit}, Bun ${bun}, node-llama-cpp ${nodeLlamaCpp} (llama.cpp ${llamaCpp})${peer}`,
  ]
}

function readField(path: string, field: string): string {
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const value = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, field) : undefined
  return typeof value === 'string' ? value : 'unknown'
}

async function llamaServerVersion(binary: string): Promise<string> {
  const { stdout, stderr } = await $`${binary} --version`.nothrow().quiet()
  const lines = `${stdout}${stderr}`.split('\n')
  return lines.find((line) => line.startsWith('version:')) ?? 'unknown version'
}
