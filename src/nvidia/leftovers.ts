/** Files of NVIDIA's driver and libraries in the data folder that can be had again. */

import { lstatSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { dayMs } from '../core/durations.ts'
import { namesIn } from '../core/names-in.ts'
import { cudaCacheFolder, downloadFolder } from './own-folder.ts'

export interface Leftover {
  /** Below the data folder. */
  readonly path: string
  readonly reason: string
  readonly bytes: number
}

/** A fetch that was stopped may go on; one that runs writes all the time. */
const keptDownloadMs = dayMs

export function findLeftovers(dataDir: string, nowMs: number): readonly Leftover[] {
  const cache = cudaCacheFolder(dataDir)
  const cacheBytes = kernelCacheBytes(dataDir)
  const kernels = { path: relative(dataDir, cache), reason: 'the driver compiles them again where they are needed' }
  const downloads = namesIn(downloadFolder(dataDir)).flatMap((name): readonly Leftover[] => {
    const path = join(downloadFolder(dataDir), name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || nowMs - found.mtimeMs <= keptDownloadMs) return []
    const reason = "a download of NVIDIA's libraries that stopped more than a day ago"
    return [{ path: relative(dataDir, path), reason, bytes: bytesBelow(path) }]
  })
  return [...(cacheBytes === 0 ? [] : [{ ...kernels, bytes: cacheBytes }]), ...downloads]
}

export function removeLeftovers(dataDir: string, leftovers: readonly Leftover[]): void {
  for (const { path } of leftovers) rmSync(join(dataDir, path), { recursive: true, force: true })
}

/** Bytes of the kernels that NVIDIA's driver has compiled for the cards of this machine. */
export function kernelCacheBytes(dataDir: string): number {
  return bytesBelow(cudaCacheFolder(dataDir))
}

/** Links are not followed. */
function bytesBelow(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 0
  if (!found.isDirectory()) return found.size
  return namesIn(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0)
}
