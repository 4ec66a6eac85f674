/** Folders beside those of models, in which a command puts files together before they get their place. */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { tryLock } from './libc.ts'

export interface StagingFolder extends Disposable {
  readonly path: string
}

/**
 * An empty folder for one import of a model; undefined while another one runs. Its lock ends with the process, so what a
 * killed import left is free for the next, and for `gc`. Disposing of it removes it.
 */
export function claimStaging(modelFolder: string): StagingFolder | undefined {
  const parent = dirname(modelFolder)
  const path = join(parent, `.${basename(modelFolder)}.importing`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const release = lockFolder(path)
  if (release === undefined) return undefined
  for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true })
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true })
      release()
      removeIfEmpty(parent)
    },
  }
}

export interface RemovalFolder {
  readonly path: string
  /** Removes it and its files, without blocking the process. */
  remove(): Promise<void>
}

/** An empty folder for one removal of a model, locked so that `gc` leaves it. Throws what the system says. */
export function claimRemoval(modelFolder: string): RemovalFolder {
  const parent = dirname(modelFolder)
  const path = mkdtempSync(join(parent, `.${basename(modelFolder)}.removing-`))
  // Undefined where the file system has no locks: then the model is removed all the same.
  const release = lockFolder(path)
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true }).finally(() => release?.())
      removeIfEmpty(parent)
    },
  }
}

/** Whether a folder is one of these, by its name. */
export function isStagingName(name: string): boolean {
  return /^\..+\.(importing|removing-\w+)$/.test(name)
}

/** Whether the process that made the folder works in it. */
export function isInUse(path: string): boolean {
  const release = lockFolder(path)
  release?.()
  return release === undefined
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Other models are in it.
  }
}

/** Undefined when another process has it, or removed it meanwhile. */
function lockFolder(path: string): (() => void) | undefined {
  const descriptor = openSync(path, 'r')
  if (tryLock(descriptor) && statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino)
    return () => closeSync(descriptor)
  closeSync(descriptor)
  return undefined
}
