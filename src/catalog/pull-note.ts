/** Progress note of a running pull in the model's folder, for the server and other commands. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { readNote, writeNote } from './notes.ts'

const wholeNumber = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const note = Type.Object({
  pid: wholeNumber,
  doneBytes: wholeNumber,
  totalBytes: wholeNumber,
  /** Bytes of files that are not begun, whose disk space is not yet taken. */
  promisedBytes: wholeNumber,
  /** Start time of the process, which tells it from a later one with the same id. */
  startedAt: Type.String(),
})

type PullNote = Readonly<Omit<Static<typeof note>, 'startedAt'>>

/** Hidden name, which no file of a model has. */
const noteName = '.pull.json'

/** Returns the progress of a running pull; undefined if there is none or its process died. */
export function readPullNote(folder: string): PullNote | undefined {
  const found = readNote(join(folder, noteName), note)
  if (found === undefined || startOf(found.pid) !== found.startedAt) return undefined
  const { startedAt: _, ...progress } = found
  return progress
}

/** Writes the progress of this process. The folder must exist. Ignores failures of the disk. */
export function writePullNote(folder: string, progress: Omit<PullNote, 'pid'>): void {
  try {
    writeNote(join(folder, noteName), { pid: process.pid, startedAt: startOf(process.pid), ...progress })
  } catch {
    // The disk may be full, while the pulled file already has its space.
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
    // The process name before these fields may hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
