/** Progress note of a running pull in the model's folder, for the server and other commands. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PullNote {
  readonly pid: number
  readonly doneBytes: number
  readonly totalBytes: number
  /** Bytes of files that are not begun, whose disk space is not yet taken. */
  readonly promisedBytes: number
}

/** Hidden name, which no file of a model has. */
const noteName = '.pull.json'

interface WrittenNote extends PullNote {
  /** Start time of the process, which tells it from a later one with the same id. */
  readonly startedAt: string | undefined
}

/** Returns the progress of a running pull; undefined if there is none or its process died. */
export function readPullNote(folder: string): PullNote | undefined {
  try {
    const text = readFileSync(join(folder, noteName), 'utf8')
    const { pid, startedAt, doneBytes, totalBytes, promisedBytes }: Partial<WrittenNote> = Object(JSON.parse(text))
    const numbers = [pid, doneBytes, totalBytes, promisedBytes]
    if (!numbers.every((number) => Number.isSafeInteger(number) && Number(number) >= 0)) return undefined
    if (startOf(Number(pid)) !== startedAt || startedAt === undefined) return undefined
    return {
      pid: Number(pid),
      doneBytes: Number(doneBytes),
      totalBytes: Number(totalBytes),
      promisedBytes: Number(promisedBytes),
    }
  } catch {
    return undefined // the usual case: there is none
  }
}

/** Writes the progress of this process. The folder must exist. Ignores failures of the disk. */
export function writePullNote(folder: string, progress: Omit<PullNote, 'pid'>): void {
  const note: WrittenNote = { pid: process.pid, startedAt: startOf(process.pid), ...progress }
  // Readers must not see it half written. It need not survive a power cut: its process does not.
  const temporary = join(folder, `${noteName}.${process.pid}.tmp`)
  try {
    writeFileSync(temporary, JSON.stringify(note), { mode: 0o600 })
    renameSync(temporary, join(folder, noteName))
  } catch {
    rmSync(temporary, { force: true }) // a full disk: the file that is pulled may have its room already
  }
}

/** Removes this process's note, but not another one's. */
export function removePullNote(folder: string): void {
  if (readPullNote(folder)?.pid === process.pid) rmSync(join(folder, noteName), { force: true })
}

/** Returns the start time of a process in the kernel's ticks; undefined if it has ended. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the fields may hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
