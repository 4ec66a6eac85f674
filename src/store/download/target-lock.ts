/**
 * One download of a file at a time, over all processes: `<target>.pull` is locked by the one that works, and tells how far
 * it is. The system releases the lock when that process dies, however it dies.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tryLock } from '../libc.ts'
import { type Progress, phases } from '../progress.ts'
import { pause } from '../web/pause.ts'

const pollMs = 250

export interface TargetLock {
  /** Others had the lock before: what they made may be there. */
  readonly hasWaited: boolean
  /** What those who wait are told. */
  publish(progress: Progress): void
  release(): void
}

export interface TargetOptions {
  readonly signal: AbortSignal
  /** How far the process is that has the lock, now and then. */
  readonly onWait: (progress: Progress | undefined) => void
}

/** Waits until no other process downloads the file. Throws the signal's reason. */
export async function lockTarget(target: string, { signal, onWait }: TargetOptions): Promise<TargetLock> {
  for (let hasWaited = false; ; hasWaited = true) {
    const lock = takeNow(target, hasWaited)
    if (lock !== undefined) return lock
    onWait(readProgress(target))
    // The system tells nobody that a lock is free, unless a thread blocks.
    await pause(pollMs, signal)
  }
}

function takeNow(target: string, hasWaited: boolean): TargetLock | undefined {
  const path = lockPath(target)
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  // The one before may have removed the file after it was opened here.
  if (!tryLock(descriptor) || statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(descriptor).ino) {
    closeSync(descriptor)
    return undefined
  }
  return {
    hasWaited,
    publish(progress) {
      // In place, since a new file would not be locked; those who read half of it read again.
      const text = JSON.stringify({ ...progress, pid: process.pid })
      writeSync(descriptor, text, 0)
      ftruncateSync(descriptor, Buffer.byteLength(text))
    },
    release() {
      rmSync(path, { force: true })
      closeSync(descriptor)
    },
  }
}

function readProgress(target: string): Progress | undefined {
  try {
    const { phase, name, bytes, totalBytes, rate, trouble } = Object(JSON.parse(readFileSync(lockPath(target), 'utf8')))
    if (!phases.includes(phase) || typeof name !== 'string' || typeof bytes !== 'number') return undefined
    return { phase, name, bytes, totalBytes, rate, trouble }
  } catch {
    return undefined // none, or half written
  }
}

function lockPath(target: string): string {
  return `${target}.pull`
}
