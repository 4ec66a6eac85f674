import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { modelFolder } from '../../catalog/locate-files.ts'
import { realDisk } from '../disk.ts'
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
export async function hideModel(dataDir: string, modelId: string): Promise<HiddenModel | undefined> {
  const folder = modelFolder(dataDir, modelId)
  if (!existsSync(folder)) return undefined
  const parent = dirname(folder)
  const place = await mkdtemp(join(parent, `.${basename(folder)}.removing-`))
  const hidden = join(place, 'files')
  try {
    await realDisk.remove(join(folder, lockName))
    await realDisk.flushFolder(folder)
    await rename(folder, hidden)
  } catch (error) {
    await rm(place, { recursive: true })
    if (existsSync(folder)) throw error
    return undefined // somebody else removes it just now
  }
  await realDisk.flushFolder(parent)
  const files = folderFiles(hidden)
  return {
    freedBytes: freedBytes(files),
    async remove() {
      await rm(place, { recursive: true, force: true })
      removeIfEmpty(parent)
    },
  }
}
