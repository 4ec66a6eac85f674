/** Installs a bundle whose manifest is trusted: files first, each whole and flushed, then locks, then manifests. */
import { link, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { importedManifestPath, operatorFolder } from '../../catalog/operator-manifests.ts'
import { type Disk, realDisk } from '../disk.ts'
import { HashThreads } from '../download/hash-threads.ts'
import { renameDurably, writeDurably } from '../durable.ts'
import { type LockedFile, writeLock } from '../lock.ts'
import { BlobReader } from './blob-reader.ts'
import { lockOf, modelManifestOf } from './check-manifest.ts'
import { type ContentReader, fileReader, joinContent } from './join-content.ts'
import { type BundleManifest, BundleError } from './manifest.ts'
import type { PlannedFile, PlannedInstall, PlannedModel } from './plan-install.ts'

export interface InstallOptions {
  /** Folders of the bundle: those of its disks that are here. */
  readonly roots: readonly string[]
  readonly dataDir: string
  /** Whether this box's catalog describes the model already, and finds its files under the names that the bundle gives them. */
  readonly isDescribed: (model: PlannedModel['model']) => boolean
  /** Milliseconds UTC. */
  readonly clock: () => number
  readonly signal?: AbortSignal | undefined
  readonly onBytes?: ((bytes: number) => void) | undefined
  readonly disk?: Disk | undefined
}

export interface InstalledModels {
  readonly installed: readonly string[]
  /** Were there, whole, before. */
  readonly kept: readonly string[]
  /** Parts on disks that are not here: with them the same command goes on. */
  readonly missing: readonly string[]
}

/** Throws BundleError that names the file that is bad, and what the system says. What was copied is kept for the next run. */
export async function installModels({ models }: PlannedInstall, options: InstallOptions): Promise<InstalledModels> {
  const hashes = new HashThreads()
  try {
    return await installAll(models, { ...options, hashes })
  } finally {
    hashes.close()
  }
}

type Install = InstallOptions & { readonly hashes: HashThreads }

async function installAll(models: PlannedInstall['models'], options: Install): Promise<InstalledModels> {
  const installed: string[] = []
  const kept: string[] = []
  const missing = new Set<string>()
  for (const planned of models) {
    const { id } = planned.model
    const lacking: string[] = []
    for (const file of planned.files) lacking.push(...(await placeFile(file, options)))
    for (const path of lacking) missing.add(path)
    if (lacking.length > 0) continue
    const isHere = planned.files.every(({ how }) => how === 'here') && options.isDescribed(planned.model)
    if (!isHere) await describe(planned, options)
    ;(isHere ? kept : installed).push(id)
  }
  return { installed, kept, missing: [...missing] }
}

/** Puts the program that the bundle carries to `target`, replacing what is there. Returns the parts that are missing. */
export async function installExecutable(
  target: string,
  { executable, blobs }: BundleManifest,
  options: Omit<InstallOptions, 'isDescribed'>,
): Promise<readonly string[]> {
  const blob = blobs.find(({ sha256 }) => sha256 === executable?.sha256)
  if (blob === undefined) throw new BundleError('the bundle holds no executable')
  await using reader = new BlobReader(options.roots, blob)
  const hashes = new HashThreads()
  try {
    return await joinContent(target, blob, reader, { ...options, hashes, mode: 0o755 })
  } finally {
    hashes.close()
  }
}

async function placeFile(planned: PlannedFile, options: Install): Promise<readonly string[]> {
  const { file, path } = planned
  if (planned.how === 'here') return []
  if (planned.how === 'join') {
    await using reader = new BlobReader(options.roots, planned.blob)
    return await joinContent(path, file, reader, options)
  }
  if (await linkDurably(planned.from, path, options.disk)) return []
  await using reader: ContentReader = await fileReader(planned.from)
  return await joinContent(path, file, reader, options)
}

/** False where the file system has no links, or the content is not there because its parts were missing. */
async function linkDurably(from: string, path: string, disk: Disk = realDisk): Promise<boolean> {
  const temporary = `${path}.tmp`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await disk.remove(temporary)
  try {
    await link(from, temporary)
  } catch {
    return false // the copy that follows says what is really wrong, if anything is
  }
  await renameDurably(temporary, path, disk)
  return true
}

async function describe({ model, folder }: PlannedModel, options: InstallOptions): Promise<void> {
  const { license } = modelManifestOf(model)
  const stats = new Map<string, LockedFile['stat']>()
  for (const { name } of model.files) {
    const { mtimeMs, ino } = await stat(join(folder, name))
    stats.set(name, { mtimeMs, inode: ino })
  }
  const statOf = (name: string) => stats.get(name) ?? { mtimeMs: 0, inode: 0 }
  await writeLock(folder, lockOf(model, statOf, options.clock(), license), options.disk)
  if (options.isDescribed(model)) return
  await mkdir(operatorFolder(options.dataDir), { recursive: true, mode: 0o700 })
  await writeDurably(importedManifestPath(options.dataDir, model.id), model.manifest, options.disk)
}
