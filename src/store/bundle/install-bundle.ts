/** Installation of a trusted bundle. A model changes only once all its files are complete and flushed on this disk. */
import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { forgetDamage } from '../../catalog/damage-note.ts'
import { importedManifestPath, operatorFolder } from '../../catalog/operator-manifests.ts'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import type { Disk } from '../disk.ts'
import { HashThread } from '../download/hash-thread.ts'
import { partPath } from '../download/part-file.ts'
import { linkBeside, renameDurably, temporaryPath, writeDurably } from '../durable.ts'
import { hashFile } from '../hash-file.ts'
import { type LockedFile, writeLock } from '../lock.ts'
import { BlobReader } from './blob-reader.ts'
import { lockOf, modelManifestOf } from './check-manifest.ts'
import { fileReader, joinContent, placeContent } from './join-content.ts'
import { BundleError, type BundleManifest } from './manifest.ts'
import type { PlannedFile, PlannedInstall, PlannedModel } from './plan-install.ts'

export interface InstallOptions {
  /** Folders of the bundle on the disks that are here. */
  readonly roots: readonly string[]
  readonly dataDir: string
  /** Returns whether the catalog already describes the model with the bundle's file names. */
  readonly isDescribed: (model: PlannedModel['model']) => boolean
  /** Milliseconds UTC. */
  readonly clock: () => number
  readonly signal?: AbortSignal | undefined
  readonly onBytes?: ((bytes: number) => void) | undefined
  readonly disk?: Disk | undefined
}

export interface InstalledModels {
  readonly installed: readonly string[]
  /** Models that were complete before. */
  readonly kept: readonly string[]
  /** Missing parts, on disks that are not here. The same command continues with them. */
  readonly missing: readonly string[]
}

/**
 * Installs the models. Throws BundleError that names the bad file, and the system's errors. Copied files are kept for
 * the next run.
 */
export async function installModels({ models }: PlannedInstall, options: InstallOptions): Promise<InstalledModels> {
  using hashes = new HashThread()
  return await new Install({ ...options, hashes }).all(models)
}

class Install {
  readonly #options: InstallOptions & { readonly hashes: HashThread }
  /** Paths whose content waits at its temporary path. Other files wait in their parts. */
  readonly #linked = new Set<string>()
  readonly #placed = new Set<string>()

  constructor(options: InstallOptions & { readonly hashes: HashThread }) {
    this.#options = options
  }

  async all(models: PlannedInstall['models']): Promise<InstalledModels> {
    const installed: string[] = []
    const kept: string[] = []
    const missing = new Set<string>()
    // Linked before the first model changes, since that one may own the file.
    for (const file of models.flatMap(({ files }) => files)) if (file.how === 'link') await this.#link(file, file.from)
    for (const planned of models) {
      const { id } = planned.model
      const lacking: string[] = []
      for (const file of planned.files) if (file.how === 'join') lacking.push(...(await this.#join(file)))
      for (const path of lacking) missing.add(path)
      if (lacking.length > 0) continue
      const isHere = planned.files.every(({ how }) => how === 'here') && this.#options.isDescribed(planned.model)
      if (!isHere) await this.#change(planned)
      ;(isHere ? kept : installed).push(id)
    }
    return { installed, kept, missing: [...missing] }
  }

  /** Links the content, or copies it if the file system has no links. */
  async #link({ file, path }: PlannedFile, from: string): Promise<void> {
    if (await linkBeside(from, path, this.#options.disk)) {
      this.#linked.add(path)
      return
    }
    await using reader = await fileReader(from)
    await joinContent(path, file, reader, this.#options)
  }

  /** Joins the file. Returns the missing parts. */
  async #join(planned: PlannedFile & { readonly how: 'join' }): Promise<readonly string[]> {
    const { file, path, blob, twin } = planned
    if (twin !== undefined && this.#placed.has(twin)) {
      await this.#link(planned, twin)
      return []
    }
    await using reader = new BlobReader(this.#options.roots, blob)
    return await joinContent(path, file, reader, this.#options)
  }

  /**
   * Replaces a model by renames alone. A crash in between leaves files that differ from the lock, which are found
   * before the model is loaded.
   */
  async #change({ model, folder, files }: PlannedModel): Promise<void> {
    const { disk, dataDir, clock, isDescribed } = this.#options
    for (const { how, path } of files) {
      if (how === 'here') continue
      if (this.#linked.has(path)) await renameDurably(temporaryPath(path), path, disk)
      else await placeContent(path, disk)
      this.#placed.add(path)
    }
    const { license } = modelManifestOf(model)
    const stats = new Map<string, LockedFile['stat']>()
    for (const { name } of model.files) {
      const { mtimeMs, ino } = await stat(join(folder, name))
      stats.set(name, { mtimeMs, inode: ino })
    }
    const statOf = (name: string) => stats.get(name) ?? { mtimeMs: 0, inode: 0 }
    await writeLock(folder, lockOf(model, statOf, clock(), license), disk)
    forgetDamage(folder)
    if (isDescribed(model)) return
    await mkdir(operatorFolder(dataDir), { recursive: true, mode: 0o700 })
    await writeDurably(importedManifestPath(dataDir, model.id), model.manifest, disk)
  }
}

/**
 * Puts the bundle's libraries into a folder. All are complete before the first gets its name; existing ones stay.
 * Returns the missing parts. Throws BundleError if one does not match its checksum.
 */
export async function installLibraries(
  folder: string,
  { libraries = [], blobs }: Pick<BundleManifest, 'libraries' | 'blobs'>,
  options: Omit<InstallOptions, 'isDescribed'> & { readonly isLibrary: (path: string, name: string) => boolean },
): Promise<readonly string[]> {
  using hashes = new HashThread()
  const missing: string[] = []
  const wanted: typeof libraries = []
  for (const library of libraries) if (!(await isInPlace(join(folder, library.name), library))) wanted.push(library)
  for (const { name, sha256 } of wanted) {
    const blob = blobs.find((each) => each.sha256 === sha256)
    if (blob === undefined)
      throw new BundleError(`the bundle leaves out ${name}, which is not on this box; make it without --base`)
    await using reader = new BlobReader(options.roots, blob)
    missing.push(...(await joinContent(join(folder, name), blob, reader, { ...options, hashes })))
  }
  if (missing.length > 0) return missing
  for (const { name } of wanted)
    if (!options.isLibrary(partPath(join(folder, name)), name))
      throw new BundleError(`${name} of the bundle is no library of NVIDIA's for this machine; nothing of it is used`)
  for (const { name } of wanted) await placeContent(join(folder, name), options.disk)
  return []
}

async function isInPlace(path: string, { bytes, sha256 }: { readonly bytes: number; readonly sha256: string }) {
  const found = statFile(path)
  if (found === undefined || found instanceof FileError || !found.isFile() || found.size !== bytes) return false
  return (await hashFile(path)).sha256 === sha256
}

/** Puts the bundle's program to `target`, replacing the file there. Returns the missing parts. */
export async function installExecutable(
  target: string,
  { executable, blobs }: BundleManifest,
  options: Omit<InstallOptions, 'isDescribed'>,
): Promise<readonly string[]> {
  const blob = blobs.find(({ sha256 }) => sha256 === executable?.sha256)
  if (blob === undefined) throw new BundleError('the bundle holds no executable')
  await using reader = new BlobReader(options.roots, blob)
  using hashes = new HashThread()
  const missing = await joinContent(target, blob, reader, { ...options, hashes })
  if (missing.length > 0) return missing
  await chmod(partPath(target), 0o755)
  await placeContent(target, options.disk)
  return []
}
