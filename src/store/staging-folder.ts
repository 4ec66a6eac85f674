/** Staging folders beside the models' folders, in which a command prepares files. */
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
 * Claims an empty folder for one import of a model; undefined while another one runs. Its lock ends with the process,
 * so the next import or `gc` takes over what a killed one left. Disposal removes it.
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
  /** Removes the folder and its files, without blocking the process. */
  remove(): Promise<void>
}

/** Claims an empty folder for one removal of a model, locked against `gc`. Throws the system's errors. */
export function claimRemoval(modelFolder: string): RemovalFolder {
  const parent = dirname(modelFolder)
  const path = mkdtempSync(join(parent, `.${basename(modelFolder)}.removing-`))
  // Undefined if the file system has no locks: the model is removed nevertheless.
  const release = lockFolder(path)
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true }).finally(() => release?.())
      removeIfEmpty(parent)
    },
  }
}

/** Returns whether the name belongs to a staging folder. */
export function isStagingName(name: string): boolean {
  return /^\..+\.(importing|removing-\w+)$/.test(name)
}

/** Returns whether the process that created the folder still works in it. */
export function isInUse(path: string): boolean {
  const release = lockFolder(path)
  release?.()
  return release === undefined
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // The folder holds other models.
  }
}

/** Locks a folder. Returns undefined if another process has it, or removed it meanwhile. */
function lockFolder(path: string): (() => void) | undefined {
  const descriptor = openSync(path, 'r')
  if (tryLock(descriptor) && statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino)
    return () => closeSync(descriptor)
  closeSync(descriptor)
  return undefined
}
