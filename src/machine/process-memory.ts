/** Host memory of processes, read from `/proc`. */
import { readdirSync, writeFileSync } from 'node:fs'
import { readText } from './read-text.ts'

export interface ProcessMemory {
  /** Bytes in memory now, including mapped files. */
  readonly residentBytes: number
  /** Highest `residentBytes` since `forgetPeak`. */
  readonly peakBytes: number
  /**
   * Part of `residentBytes` that cannot be dropped. Mapped files can: they are page cache, which counts as free memory.
   */
  readonly privateBytes: number
}

/**
 * Returns the memory of processes together with all their descendants, by id. Ended processes are absent. Reads a file
 * per process of the machine, about 10 us each.
 */
export function readProcessMemory(pids: readonly number[]): ReadonlyMap<number, ProcessMemory> {
  const children = childrenOf()
  const found = new Map<number, ProcessMemory>()
  for (const pid of pids) {
    const family = [pid]
    for (const member of family) family.push(...(children.get(member) ?? []))
    const [own, ...others] = family.map((member) => parseStatus(readText(`/proc/${member}/status`) ?? ''))
    if (own === undefined) continue
    found.set(pid, others.filter((other) => other !== undefined).reduce(add, own))
  }
  return found
}

/** Restarts the measurement of a process's peak. Ignores ended processes. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // The process has ended, or this system forbids it. Its peak is then that of its whole life.
  }
}

/** Parses `/proc/<pid>/status`; undefined for a process that has ended and waits for its parent. */
export function parseStatus(status: string): ProcessMemory | undefined {
  const [residentBytes, peakBytes] = [kilobytes(status, 'VmRSS'), kilobytes(status, 'VmHWM')]
  if (residentBytes === undefined || peakBytes === undefined) return undefined
  const privateBytes = residentBytes - (kilobytes(status, 'RssFile') ?? 0)
  // The kernel counts in batches per thread, so both values may differ slightly.
  return { residentBytes, peakBytes: Math.max(peakBytes, residentBytes), privateBytes }
}

/** Returns the parent of a process from `/proc/<pid>/stat`. The name before it may hold spaces and brackets. */
export function parentOf(stat: string): number | undefined {
  const parent = stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2]
  return parent === undefined ? undefined : Number(parent)
}

function childrenOf(): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(readText(`/proc/${name}/stat`) ?? '')
    if (parent === undefined) continue
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [Number(name)])
    else siblings.push(Number(name))
  }
  return children
}

function add(first: ProcessMemory, second: ProcessMemory): ProcessMemory {
  return {
    residentBytes: first.residentBytes + second.residentBytes,
    peakBytes: first.peakBytes + second.peakBytes,
    privateBytes: first.privateBytes + second.privateBytes,
  }
}

function kilobytes(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
  return found === undefined ? undefined : Number(found) * 1024
}
