import { join } from 'node:path'
import { readDamage } from '../catalog/damage-note.ts'
import { FileError, statFile } from '../catalog/stat-file.ts'
import type { LockedFile } from './lock.ts'
import { modelFolders } from './model-folders.ts'

export interface LockedContent {
  readonly modelId: string
  readonly file: LockedFile
  /** Absolute path. */
  readonly path: string
}

/**
 * Returns every locked file of this data folder that has not changed since its checksum was compared. Unreadable locks
 * are left out.
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

/** Returns whether a file's state is unchanged since the last comparison with its checksum. */
export function isUnchanged({ bytes, stat }: LockedFile, path: string): boolean {
  const found = statFile(path)
  if (found === undefined || found instanceof FileError) return false
  return found.isFile() && found.size === bytes && found.mtimeMs === stat.mtimeMs && found.ino === stat.inode
}
