/**
 * Lock that allows one download of a file at a time over all processes. The downloading process locks `<target>.pull`
 * and writes its progress there. The system releases the lock when that process dies.
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
import { downloadPhases, type FileProgress } from '../../core/download.ts'
import { tryLock } from '../libc.ts'
import { pause } from '../web/pause.ts'

const pollMs = 250

export interface TargetLock extends Disposable {
  /** True if others had the lock before: their result may exist. */
  readonly hasWaited: boolean
  /** Publishes the progress to waiting processes. */
  publish(progress: FileProgress): void
}

interface TargetOptions {
  readonly signal: AbortSignal
  /** Called now and then with the progress of the process that has the lock. */
  readonly onWait: (progress: FileProgress | undefined) => void
}

/** Waits until no other process downloads the file. Throws the signal's reason. */
export async function lockTarget(target: string, { signal, onWait }: TargetOptions): Promise<TargetLock> {
  for (let hasWaited = false; ; hasWaited = true) {
    const lock = takeNow(target, hasWaited)
    if (lock !== undefined) return lock
    onWait(readProgress(target))
    // Polls, because only a blocked thread learns that a lock is free.
    await pause(pollMs, signal)
  }
}

function takeNow(target: string, hasWaited: boolean): TargetLock | undefined {
  const path = lockPath(target)
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  // The previous holder may have removed the file after it was opened here.
  if (!tryLock(descriptor) || statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(descriptor).ino) {
    closeSync(descriptor)
    return undefined
  }
  return {
    hasWaited,
    publish(progress) {
      // Written in place, since a new file would not be locked. Readers of a half-written one read again.
      const text = JSON.stringify({ ...progress, pid: process.pid })
      writeSync(descriptor, text, 0)
      ftruncateSync(descriptor, Buffer.byteLength(text))
    },
    [Symbol.dispose]() {
      rmSync(path, { force: true })
      closeSync(descriptor)
    },
  }
}

function readProgress(target: string): FileProgress | undefined {
  try {
    const { phase, name, bytes, totalBytes, rate, trouble } = Object(JSON.parse(readFileSync(lockPath(target), 'utf8')))
    if (!downloadPhases.includes(phase) || typeof name !== 'string' || typeof bytes !== 'number') return undefined
    return { phase, name, bytes, totalBytes, rate, trouble }
  } catch {
    return undefined // none, or half written
  }
}

function lockPath(target: string): string {
  return `${target}.pull`
}
