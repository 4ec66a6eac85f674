import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second of /proc/<pid>/stat; fixed on Linux. */
const ticksPerSecond = 100
const mebibyte = 1024 * 1024

/** Returns the resident memory of a process in MiB; 0 if it has ended. */
export function residentMib(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status'))
  return (Number(line?.[1] ?? 0) * 1024) / mebibyte
}

/** Returns the CPU seconds of a process with all its threads. */
export function cpuSeconds(pid: number): number {
  // The command name before the last parenthesis may hold spaces.
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond
}

/**
 * Returns the CPU seconds of the threads that a process has now, to the microsecond. Less than `cpuSeconds` after threads
 * have ended.
 */
export function threadSeconds(pid: number): number {
  const ids = readdirSync(`/proc/${pid}/task`)
  return ids.reduce((sum, id) => sum + Number(readProc(pid, `task/${id}/schedstat`).split(' ')[0]) / 1e9, 0)
}

/** Returns the direct children of a process. */
export function childrenOf(pid: number): number[] {
  return readProc(pid, `task/${pid}/children`)
    .split(' ')
    .filter((word) => word !== '')
    .map(Number)
}

/** Returns all direct and indirect children of a process. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // The process has ended, and uses nothing.
    return ''
  }
}
