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

interface StageOptions {
  readonly files: readonly FoundFile[]
  /** Final folder of the files: the model's. */
  readonly folder: string
  /** Staging folder, see `claimStaging`. */
  readonly staging: string
  /** Origin of the files, for the lock. */
  readonly source: string
  /** Contents of other models. Equal files are linked. */
  readonly others: readonly LockedContent[]
  /** Called with the bytes hashed so far, over all files. */
  readonly onBytes?: ((bytes: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Files of a model in a staging folder until all succeeds. */
interface StagedFiles {
  readonly placement: 'linked' | 'copied'
  pathOf(name: string): string
  /**
   * Replaces the model's folder and manifest. Only renames follow the first change, and a failed one is rolled back:
   * files, lock and manifest belong together.
   */
  commit(lock: Pick<ModelLock, 'modelId' | 'license'>, manifest: ManifestFile): Promise<void>
}

interface ManifestFile {
  readonly path: string
  readonly toml: string
}

/** Links the files, or copies them if they cannot be linked, and hashes them. Throws ImportError. */
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

/** Links a file. Returns false on another file system, or one without links: then the file is copied. */
async function linked(path: string, target: string): Promise<boolean> {
  return link(path, target).then(
    () => true,
    () => false,
  )
}

/** Copies a file. Never overwrites one: it may be a link to the operator's own. */
async function copy(path: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = constants
  const isCloned = await copyFile(path, target, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  )
  if (isCloned) return chmod(target, 0o600)
  await pipeline(createReadStream(path), createWriteStream(target, { flags: 'wx', mode: 0o600 }), { signal })
}

/** Flushes a file, also a link, whose content may not be on the disk yet. */
async function flush(path: string): Promise<void> {
  await using file = await open(path, 'r')
  await file.datasync()
}
