import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { FileError, statFile } from '../catalog/stat-file.ts'
import { type LockedFile, readLock } from './lock.ts'

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
  const models = join(dataDir, 'models')
  return foldersIn(models).flatMap((org) =>
    foldersIn(join(models, org)).flatMap((name) => contentsOf(join(models, org, name))),
  )
}

/** Whether a file is as it was when its content was last compared with its sum. */
export function isUnchanged({ bytes, stat }: LockedFile, path: string): boolean {
  const found = statFile(path)
  if (found === undefined || found instanceof FileError) return false
  return found.isFile() && found.size === bytes && found.mtimeMs === stat.mtimeMs && found.ino === stat.inode
}

function contentsOf(folder: string): LockedContent[] {
  try {
    const { modelId, files } = readLock(folder) ?? { modelId: '', files: [] }
    return files
      .map((file) => ({ modelId, file, path: join(folder, file.name) }))
      .filter(({ file, path }) => isUnchanged(file, path))
  } catch (error) {
    if (error instanceof FileError) return []
    throw error
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
  } catch {
    return [] // no models yet, or a closed folder: nothing to be found in it
  }
}
