/** How many CPU threads the decoder may use. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

export interface CpuAllowance {
  /** Physical cores of the machine. */
  readonly physicalCores: number
  /** Logical processors this process may run on (affinity). */
  readonly allowedProcessors: number
  /** CPU time limit of the control group in cores, fractions possible; undefined: none. */
  readonly quotaCores: number | undefined
}

/**
 * The default when no number is configured: physical cores minus one, never above what the process is allowed. The
 * decoder's threads spin at barriers, so one thread without a core of its own slows down all of them: `threads = cores`
 * was 3 to 50 times slower beside other work.
 */
export function defaultThreads({ physicalCores, allowedProcessors, quotaCores }: CpuAllowance): number {
  const allowance = Math.min(physicalCores, allowedProcessors, quotaCores ?? Number.POSITIVE_INFINITY)
  return Math.max(1, Math.ceil(allowance) - 1)
}

/** Reads the machine's own description; what cannot be read counts as no limit. */
export function readCpuAllowance(): CpuAllowance {
  const allowedProcessors = availableParallelism()
  return {
    physicalCores: countPhysicalCores() ?? allowedProcessors,
    allowedProcessors,
    quotaCores: readQuotaCores(),
  }
}

function countPhysicalCores(): number | undefined {
  const text = readText('/proc/cpuinfo')
  const cores = new Set<string>()
  for (const processor of text.split('\n\n')) {
    const socket = /^physical id\s*: (\d+)/m.exec(processor)?.[1]
    const core = /^core id\s*: (\d+)/m.exec(processor)?.[1]
    if (socket !== undefined && core !== undefined) cores.add(`${socket}/${core}`)
  }
  return cores.size === 0 ? undefined : cores.size
}

/** cgroup v2 `cpu.max`: "<quota us> <period us>", quota "max" for none. */
function readQuotaCores(): number | undefined {
  const [quota, period] = readText('/sys/fs/cgroup/cpu.max').trim().split(' ').map(Number)
  return quota !== undefined && period !== undefined && quota > 0 && period > 0 ? quota / period : undefined
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // not every system has the file: no limit is known then
  }
}
