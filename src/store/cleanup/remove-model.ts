import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { modelFolder } from '../../catalog/locate-files.ts'
import { type Disk, realDisk } from '../disk.ts'
import { lockName } from '../lock.ts'
import { removeIfEmpty } from '../staging-folder.ts'
import { freedBytes } from './disk-usage.ts'
import { folderFiles } from './folder-files.ts'

/** A model whose files have lost their place: nothing finds them any more, and engines that have them open go on. */
export interface HiddenModel {
  /** What nothing else links. */
  readonly freedBytes: number
  /** Removes the files. */
  remove(): Promise<void>
}

/**
 * Takes a model's folder out of the store: its lock first, so that what is left after a power cut is no model. Removing the
 * files is the second step. Undefined when the model has no folder.
 */
export async function hideModel(
  dataDir: string,
  modelId: string,
  disk: Disk = realDisk,
): Promise<HiddenModel | undefined> {
  const folder = modelFolder(dataDir, modelId)
  if (!existsSync(folder)) return undefined
  const parent = dirname(folder)
  let place: string | undefined
  const remove = async () => {
    if (place !== undefined) await rm(place, { recursive: true, force: true })
    removeIfEmpty(parent)
  }
  try {
    place = await mkdtemp(join(parent, `.${basename(folder)}.removing-`))
    await disk.remove(join(folder, lockName))
    await disk.flushFolder(folder)
    await rename(folder, join(place, 'files'))
  } catch (error) {
    await remove()
    if (existsSync(folder)) throw error
    return undefined // another removal was first, and may have removed the empty parent too
  }
  await disk.flushFolder(parent)
  return { freedBytes: freedBytes(folderFiles(join(place, 'files'))), remove }
}
