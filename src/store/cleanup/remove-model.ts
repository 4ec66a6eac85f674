import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { modelFolder } from '../../catalog/locate-files.ts'
import { type Disk, realDisk } from '../disk.ts'
import { lockName } from '../lock.ts'
import { claimRemoval, type RemovalFolder } from '../staging-folder.ts'
import { freedBytes } from './disk-usage.ts'
import { folderFiles } from './folder-files.ts'

/** Model whose files are no longer found in the store. Engines that have them open continue. */
interface HiddenModel {
  /** Bytes that the removal frees: those of files without other links. */
  readonly freedBytes: number
  /** Removes the files. */
  remove(): Promise<void>
}

/**
 * Takes a model's folder out of the store: its lock first, so that a power cut leaves no model behind. Removing the
 * files is the second step. Undefined if the model has no folder.
 */
export async function hideModel(
  dataDir: string,
  modelId: string,
  disk: Disk = realDisk,
): Promise<HiddenModel | undefined> {
  const folder = modelFolder(dataDir, modelId)
  if (!existsSync(folder)) return undefined
  let place: RemovalFolder | undefined
  try {
    place = claimRemoval(folder)
    await disk.remove(join(folder, lockName))
    await disk.flushFolder(folder)
    await rename(folder, join(place.path, 'files'))
  } catch (error) {
    await place?.remove()
    if (existsSync(folder)) throw error
    return undefined // another removal was first, and may have removed the empty parent too
  }
  await disk.flushFolder(dirname(folder))
  return { freedBytes: freedBytes(folderFiles(join(place.path, 'files'))), remove: place.remove }
}
