import { readdirSync, readFileSync } from 'node:fs'

/** Returns the ids of the processes that read documents for a server. Processes that have ended count until they are reaped. */
export function documentProcesses(serverId: number): number[] {
  return readdirSync(`/proc/${serverId}/task`)
    .flatMap((thread) => readText(`/proc/${serverId}/task/${thread}/children`).split(' '))
    .map(Number)
    .filter((id) => id > 0 && readText(`/proc/${id}/cmdline`).includes('\0document\0'))
}

/** Returns whether a process exists and has not ended. */
export function isRunning(id: number): boolean {
  const state = /^State:\s+(\w)/m.exec(readText(`/proc/${id}/status`))?.[1]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

/** Returns the text of a file, '' if its process has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
