/** What a pull that runs says of itself in its model's folder, for the server and other commands. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PullNote {
  readonly pid: number
  readonly doneBytes: number
  readonly totalBytes: number
  /** Of files that are not begun: the room that they will need is not taken yet. */
  readonly promisedBytes: number
}

/** No name of a model's file: those do not begin with a dot. */
const noteName = '.pull.json'

interface WrittenNote extends PullNote {
  /** Tells the process from a later one with the same id. */
  readonly startedAt: string | undefined
}

/** The pull that runs for the model in a folder; undefined when there is none, also when it died. */
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

/** Says how far this process has come. The folder must exist. Does nothing where the disk takes no note. */
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

/** Takes this process's note away; another one's stays. */
export function removePullNote(folder: string): void {
  if (readPullNote(folder)?.pid === process.pid) rmSync(join(folder, noteName), { force: true })
}

/** When a process began, as the kernel counts; undefined when it has ended. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the fields may hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
