/**
 * Lock on NVIDIA's libraries in a data folder: one command at a time changes them. The next one removes the leftovers
 * of a killed one.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../core/names-in.ts'
import { lockTarget } from '../../store/download/target-lock.ts'
import { licenseFolder, nvidiaFolder, ownLibraryFolder } from '../own-folder.ts'

/**
 * Runs `work` while no other command works on the libraries. Calls `onWait` once if it has to wait for that. Throws the
 * signal's reason.
 */
export async function whileLocked<Result>(
  dataDir: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  let hasWaited = false
  using _ = await lockTarget(nvidiaFolder(dataDir), {
    signal,
    onWait() {
      if (!hasWaited) onWait()
      hasWaited = true
    },
  })
  for (const folder of [ownLibraryFolder(dataDir), licenseFolder(dataDir)]) removeLeftovers(folder)
  return await work()
}

/** Removes incomplete files of a killed process. */
function removeLeftovers(folder: string): void {
  for (const name of namesIn(folder)) if (/^\..+\.\d+\.tmp$/.test(name)) rmSync(join(folder, name), { force: true })
}
