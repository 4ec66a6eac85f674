/** One command at a time changes NVIDIA's libraries of a data folder; the next one removes a killed one's leftovers. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../core/names-in.ts'
import { lockTarget } from '../../store/download/target-lock.ts'
import { licenseFolder, nvidiaFolder, ownLibraryFolder } from '../own-folder.ts'

/** Waits until no other command works on the libraries, after `onWait`. Throws the signal's reason. */
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

/** Files that were being written when their process was killed. */
function removeLeftovers(folder: string): void {
  for (const name of namesIn(folder)) if (/^\..+\.\d+\.tmp$/.test(name)) rmSync(join(folder, name), { force: true })
}
