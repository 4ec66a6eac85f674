import { join } from 'node:path'
import { readDamage } from '../catalog/damage-note.ts'
import { FileError, statFile } from '../catalog/stat-file.ts'
import type { LockedFile } from './lock.ts'
import { modelFolders } from './model-folders.ts'

export interface LockedContent {
  readonly modelId: string
  readonly file: LockedFile
  /** Absolute. */
  readonly path: string
}

/**
 * Every file that a lock of this data folder lists and that nobody has changed since its content was compared with its sum.
 * Locks that cannot be read are left out.
 */
export function lockedContents(dataDir: string): LockedContent[] {
  return modelFolders(dataDir).flatMap(({ modelId, folder, lock }) => {
    if (lock === undefined || lock instanceof FileError) return []
    const damaged = readDamage(folder).map(({ name }) => name)
    return lock.files
      .map((file) => ({ modelId, file, path: join(folder, file.name) }))
      .filter(({ file, path }) => isUnchanged(file, path) && !damaged.includes(file.name))
  })
}

/** Whether a file is as it was when its content was last compared with its sum. */
export function isUnchanged({ bytes, stat }: LockedFile, path: string): boolean {
  const found = statFile(path)
  if (found === undefined || found instanceof FileError) return false
  return found.isFile() && found.size === bytes && found.mtimeMs === stat.mtimeMs && found.ino === stat.inode
}
