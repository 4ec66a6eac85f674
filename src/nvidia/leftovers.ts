/**
 * Files of NVIDIA's driver and libraries in the data folder that may be deleted, since they can be made or fetched
 * again.
 */

import { lstatSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { dayMs } from '../core/durations.ts'
import { namesIn } from '../core/names-in.ts'
import { cudaCacheFolder, downloadFolder } from './own-folder.ts'

export interface Leftover {
  /** Path below the data folder. */
  readonly path: string
  readonly reason: string
  readonly bytes: number
}

/**
 * Age from which an unfinished download counts as a leftover. A running one writes all the time, and a stopped one may
 * be continued.
 */
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

/** Returns the bytes of the kernels that NVIDIA's driver has compiled for this machine's cards. */
export function kernelCacheBytes(dataDir: string): number {
  return bytesBelow(cudaCacheFolder(dataDir))
}

/** Returns the bytes of a file or folder, without following links. */
function bytesBelow(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 0
  if (!found.isDirectory()) return found.size
  return namesIn(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0)
}
