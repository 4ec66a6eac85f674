import { constants, createReadStream, createWriteStream, renameSync } from 'node:fs'
import { chmod, copyFile, link, mkdir, open, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { namesThatClash } from '../../catalog/file-names.ts'
import { realDisk } from '../disk.ts'
import { prepareFile, replaceFolder } from '../durable.ts'
import { hashFile } from '../hash-file.ts'
import { type LockedFile, type ModelLock, writeLock } from '../lock.ts'
import type { LockedContent } from '../locked-contents.ts'
import { type FoundFile, ImportError } from './found-model.ts'

export interface StageOptions {
  readonly files: readonly FoundFile[]
  /** Where they go in the end: the model's folder. */
  readonly folder: string
  /** See `claimStaging`. */
  readonly staging: string
  /** Where files come from, for the lock. */
  readonly source: string
  /** Equal files of other models are linked. */
  readonly others: readonly LockedContent[]
  /** Told how much has been hashed, of all files. */
  readonly onBytes?: ((bytes: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** The files of a model in a folder of their own, until all is well. */
export interface StagedFiles {
  readonly placement: 'linked' | 'copied'
  pathOf(name: string): string
  /**
   * Puts the folder in the place of the model's own, and the manifest in its place. Only renames come after the first change,
   * and where one fails all is as it was before: files, lock and manifest belong together.
   */
  commit(lock: Pick<ModelLock, 'modelId' | 'license'>, manifest: ManifestFile): Promise<void>
}

export interface ManifestFile {
  readonly path: string
  readonly toml: string
}

/** Links the files, or copies them where they cannot be linked, and hashes them. Throws ImportError. */
export async function stageFiles(options: StageOptions): Promise<StagedFiles> {
  const { files, folder, staging, source, others, onBytes, signal } = options
  const clash = namesThatClash(files.map(({ name }) => name))
  if (clash !== undefined)
    throw new ImportError(`two of the files would have the names ${clash[0]} and ${clash[1]}; rename one of them`)
  const made = join(staging, 'new')
  const folders = new Set([made])
  const locked: LockedFile[] = []
  let isCopied = false
  let doneBytes = 0
  for (const { role, name, path: given } of files) {
    const path = await realpath(given)
    const before = await stat(path)
    const sums = await hashFile(path, { signal, onBytes: (bytes) => onBytes?.(doneBytes + bytes) })
    doneBytes += sums.bytes
    const target = join(made, name)
    folders.add(dirname(target))
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const twin = others.find(({ file }) => file.sha256 === sums.sha256 && file.bytes === sums.bytes)?.path
    const isLinked = (twin !== undefined && (await linked(twin, target))) || (await linked(path, target))
    if (!isLinked) await copy(path, target, signal)
    isCopied ||= !isLinked
    await flush(target)
    const [after, { mtimeMs, ino }] = [await stat(path), await stat(target)]
    if (after.mtimeMs !== before.mtimeMs || after.size !== sums.bytes) {
      throw new ImportError(`${given} changed while it was imported; try again`)
    }
    locked.push({ role, name, ...sums, source, verifiedAtMs: Date.now(), stat: { mtimeMs, inode: ino } })
  }
  return {
    placement: isCopied ? 'copied' : 'linked',
    pathOf: (name) => join(made, name),
    async commit(lock, manifest) {
      await writeLock(made, { format: 1, ...lock, files: locked })
      for (const each of folders) await realDisk.flushFolder(each)
      await mkdir(dirname(manifest.path), { recursive: true, mode: 0o700 })
      const prepared = await prepareFile(manifest.path, manifest.toml)
      const undo = replaceFolder(folder, made)
      try {
        renameSync(prepared, manifest.path)
      } catch (error) {
        undo()
        throw error
      }
      await realDisk.flushFolder(dirname(folder))
      await realDisk.flushFolder(dirname(manifest.path))
    },
  }
}

/** False on another file system, or one without links: then the file is copied. */
async function linked(path: string, target: string): Promise<boolean> {
  return link(path, target).then(
    () => true,
    () => false,
  )
}

/** Never onto a file that is there: it may be a link to the operator's own. */
async function copy(path: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = constants
  const isCloned = await copyFile(path, target, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  )
  if (isCloned) return chmod(target, 0o600)
  await pipeline(createReadStream(path), createWriteStream(target, { flags: 'wx', mode: 0o600 }), { signal })
}

/** Also a link: its content may be on its way to the disk. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}
