import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OnProgress } from '../../core/download.ts'
import type { Downloader } from '../../store/download/downloader.ts'
import type { PlannedFile } from '../../store/plan.ts'
import { downloadFolder } from '../own-folder.ts'
import { keepWheel } from './keep-libraries.ts'
import { noteKept } from './kept-wheels.ts'

export interface FetchOptions {
  readonly dataDir: string
  readonly downloader: Pick<Downloader, 'download'>
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
}

/**
 * Fetches wheels and keeps their libraries. Removes each wheel once its libraries are in place. Returns the libraries'
 * names. Throws what the downloader and `keepWheel` throw; the next run continues with what was fetched.
 */
export async function fetchWheels(files: readonly PlannedFile[], options: FetchOptions): Promise<string[]> {
  const { dataDir, downloader, signal, onProgress } = options
  const folder = downloadFolder(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept: string[] = []
  for (const file of files) {
    const target = join(folder, file.name)
    await downloader.download(file, target, { signal, onProgress })
    let bytes = 0
    const onBytes = (more: number) => {
      bytes += more
      onProgress({ phase: 'unpack', name: file.name, bytes, totalBytes: undefined, rate: undefined })
    }
    const names = await keepWheel(target, { dataDir, signal, onBytes })
    if (file.sha256 !== undefined) await noteKept(dataDir, file.sha256, names)
    kept.push(...names)
    await rm(target, { force: true })
  }
  const rest = await readdir(folder)
  if (rest.length === 0) await rm(folder, { recursive: true, force: true })
  return kept
}
