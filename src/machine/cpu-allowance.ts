/** Number of CPU threads that may compute at once. */
import { availableParallelism } from 'node:os'
import { type ControlGroup, ownControlGroups } from './control-groups.ts'
import { readText } from './read-text.ts'

export interface CpuAllowance {
  /** Physical cores of the machine. */
  readonly physicalCores: number
  /** Logical processors that this process may run on (affinity). */
  readonly allowedProcessors: number
  /** Limit of the control groups on CPU time, in cores, possibly fractional. Undefined means no limit. */
  readonly quotaCores: number | undefined
}

/**
 * Returns the default number of threads: physical cores minus one, at most as many as the process may use. The
 * decoder's threads spin at barriers, so one thread without a free core slows down all others: `threads = cores` was 3
 * to 50 times slower beside other work.
 */
export function defaultThreads(allowance: CpuAllowance): number {
  return Math.max(1, coresOf(allowance) - 1)
}

/** Returns the number of threads that can compute without sharing cores. */
export function coresOf({ physicalCores, allowedProcessors, quotaCores }: CpuAllowance): number {
  return Math.ceil(Math.min(physicalCores, allowedProcessors, quotaCores ?? Number.POSITIVE_INFINITY))
}

/** Reads the machine's facts. Unreadable ones count as no limit. */
export function readCpuAllowance(): CpuAllowance {
  const allowedProcessors = availableParallelism()
  return {
    physicalCores: countPhysicalCores(readText('/proc/cpuinfo') ?? '') ?? allowedProcessors,
    allowedProcessors,
    quotaCores: quotaCores(ownControlGroups()),
  }
}

function countPhysicalCores(cpuinfo: string): number | undefined {
  const cores = new Set<string>()
  for (const processor of cpuinfo.split('\n\n')) {
    const socket = /^physical id\s*: (\d+)/m.exec(processor)?.[1]
    const core = /^core id\s*: (\d+)/m.exec(processor)?.[1]
    if (socket !== undefined && core !== undefined) cores.add(`${socket}/${core}`)
  }
  return cores.size === 0 ? undefined : cores.size
}

/** Returns the lowest quota of all groups. `cpu.max` is "<quota us> <period us>", quota "max" for none. */
export function quotaCores(groups: readonly ControlGroup[]): number | undefined {
  const quotas = groups.flatMap((group) => {
    const [quota = 0, period = 0] = (group('cpu.max') ?? '').trim().split(' ').map(Number)
    return quota > 0 && period > 0 ? [quota / period] : []
  })
  return quotas.length === 0 ? undefined : Math.min(...quotas)
}
