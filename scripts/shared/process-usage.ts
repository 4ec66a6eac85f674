import { readFileSync } from 'node:fs'

/** Clock ticks per second of /proc/<pid>/stat; fixed on Linux. */
const ticksPerSecond = 100
const mebibyte = 1024 * 1024

/** Resident memory of one process in MiB, 0 when it is gone. */
export function residentMib(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status'))
  return (Number(line?.[1] ?? 0) * 1024) / mebibyte
}

/** CPU seconds one process has used, all its threads included. */
export function cpuSeconds(pid: number): number {
  // The command name before the last parenthesis may hold spaces.
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond
}

/** Direct children of a process. */
export function childrenOf(pid: number): number[] {
  return readProc(pid, `task/${pid}/children`)
    .split(' ')
    .filter((word) => word !== '')
    .map(Number)
}

/** All that a process started, directly or not. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // The process has ended: it uses nothing.
    return ''
  }
}
