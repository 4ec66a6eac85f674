/** The folders below `<data>/models`, one for each model that has files here. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { modelFolder } from '../catalog/locate-files.ts'
import { modelIdPattern } from '../catalog/manifest-schema.ts'
import { FileError, statFile } from '../catalog/stat-file.ts'
import { type LockedFile, type ModelLock, readLock } from './lock.ts'

export interface ModelFolder {
  readonly modelId: string
  readonly folder: string
  /** Undefined where there is none. */
  readonly lock: ModelLock | FileError | undefined
}

/** All of them, in order of their names. What is no model's folder is left out. */
export function modelFolders(dataDir: string): ModelFolder[] {
  const organisations = foldersIn(join(dataDir, 'models'))
  const ids = organisations.flatMap((organisation) =>
    foldersIn(join(dataDir, 'models', organisation)).map((name) => `${organisation}/${name}`),
  )
  return ids.filter((id) => new RegExp(modelIdPattern).test(id)).map((id) => readModelFolder(dataDir, id))
}

/** The folder of one model, whether or not it is there. */
export function readModelFolder(dataDir: string, modelId: string): ModelFolder {
  const folder = modelFolder(dataDir, modelId)
  try {
    return { modelId, folder, lock: readLock(folder) }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return { modelId, folder, lock: error }
  }
}

/**
 * The path of a file with this content that some model has, so that it can be linked instead of kept twice; undefined when
 * there is none. Files that changed since they were locked do not count.
 */
export function findEqualFile(
  folders: readonly ModelFolder[],
  sums: Pick<LockedFile, 'sha256' | 'bytes'>,
): string | undefined {
  for (const { folder, lock } of folders) {
    if (lock === undefined || lock instanceof FileError) continue
    const file = lock.files.find(({ sha256, bytes }) => sha256 === sums.sha256 && bytes === sums.bytes)
    if (file !== undefined && isUnchanged(folder, file)) return join(folder, file.name)
  }
  return undefined
}

/** Whether a file is as it was when its content was last compared with its sums, as far as the file system tells. */
export function isUnchanged(folder: string, { name, bytes, stat }: LockedFile): boolean {
  const found = statFile(join(folder, name))
  if (found === undefined || found instanceof FileError) return false
  return found.isFile() && found.size === bytes && found.mtimeMs === stat.mtimeMs && found.ino === stat.inode
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch {
    return [] // there is none yet, or it is closed to us: then its models are broken, which the catalog says
  }
}
