/** The folders below `<data>/models`, one for each model that has files here. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { modelFolder } from '../catalog/locate-files.ts'
import { modelIdPattern } from '../catalog/manifest-schema.ts'
import { FileError } from '../catalog/stat-file.ts'
import { type ModelLock, readLock } from './lock.ts'

export interface ModelFolder {
  readonly modelId: string
  readonly folder: string
  /** Lock of the folder, or the error that makes it unreadable. Undefined if there is no lock. */
  readonly lock: ModelLock | FileError | undefined
}

/** Returns all models' folders by name. Other folders are left out. */
export function modelFolders(dataDir: string): ModelFolder[] {
  const organisations = foldersIn(join(dataDir, 'models'))
  const ids = organisations.flatMap((organisation) =>
    foldersIn(join(dataDir, 'models', organisation)).map((name) => `${organisation}/${name}`),
  )
  return ids.filter((id) => new RegExp(modelIdPattern).test(id)).map((id) => readModelFolder(dataDir, id))
}

/** Returns the folder of one model, existing or not. */
export function readModelFolder(dataDir: string, modelId: string): ModelFolder {
  const folder = modelFolder(dataDir, modelId)
  try {
    return { modelId, folder, lock: readLock(folder) }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return { modelId, folder, lock: error }
  }
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
