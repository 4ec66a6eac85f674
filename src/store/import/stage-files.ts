import { constants } from 'node:fs'
import { copyFile, link, mkdir, mkdtemp, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { forgetDamage } from '../../catalog/damage-note.ts'
import { namesThatClash } from '../../catalog/file-names.ts'
import { realDisk } from '../disk.ts'
import { hashFile } from '../hash-file.ts'
import { type LockedFile, type ModelLock, writeLock } from '../lock.ts'
import type { LockedContent } from '../locked-contents.ts'
import { type FoundFile, ImportError } from './found-model.ts'

export interface StageOptions {
  readonly files: readonly FoundFile[]
  /** Where they go in the end: the model's folder. */
  readonly folder: string
  /** Where files come from, for the lock. */
  readonly source: string
  /** Equal files of other models are linked. */
  readonly others: readonly LockedContent[]
  /** Told how much has been hashed, of all files. */
  readonly onBytes?: ((bytes: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** The files of a model in a folder of their own, until all is well. Disposing of it removes them. */
export interface StagedFiles extends AsyncDisposable {
  readonly placement: 'linked' | 'copied'
  pathOf(name: string): string
  /** Moves the files to their place, and writes the lock last: a lock's files are whole. */
  commit(lock: Pick<ModelLock, 'modelId' | 'license'>): Promise<void>
}

/** Links the files, or copies them where they cannot be linked, and hashes them. Throws ImportError; then nothing is left. */
export async function stageFiles(options: StageOptions): Promise<StagedFiles> {
  const { files, folder, source, others, onBytes, signal } = options
  const clash = namesThatClash(files.map(({ name }) => name))
  if (clash !== undefined)
    throw new ImportError(`two of the files would have the names ${clash[0]} and ${clash[1]}; rename one of them`)
  const parent = dirname(folder)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const staging = await mkdtemp(join(parent, `.${basename(folder)}.importing-`))
  const dispose = () => rm(staging, { recursive: true, force: true })
  const locked: LockedFile[] = []
  let isCopied = false
  try {
    let doneBytes = 0
    for (const { role, name, path: given } of files) {
      const path = await realpath(given)
      const before = await stat(path)
      const sums = await hashFile(path, { signal, onBytes: (bytes) => onBytes?.(doneBytes + bytes) })
      doneBytes += sums.bytes
      const target = join(staging, name)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      const twin = others.find(({ file }) => file.sha256 === sums.sha256 && file.bytes === sums.bytes)?.path
      const isLinked = (twin !== undefined && (await linked(twin, target))) || (await linked(path, target))
      if (!isLinked) await copy(path, target)
      isCopied ||= !isLinked
      const [after, { mtimeMs, ino }] = [await stat(path), await stat(target)]
      if (after.mtimeMs !== before.mtimeMs || after.size !== sums.bytes) {
        throw new ImportError(`${given} changed while it was imported; try again`)
      }
      locked.push({ role, name, ...sums, source, verifiedAtMs: Date.now(), stat: { mtimeMs, inode: ino } })
    }
  } catch (error) {
    await dispose()
    throw error
  }
  return {
    placement: isCopied ? 'copied' : 'linked',
    pathOf: (name) => join(staging, name),
    commit: (lock) => commit({ format: 1, ...lock, files: locked }, staging, folder),
    [Symbol.asyncDispose]: dispose,
  }
}

async function commit(lock: ModelLock, staging: string, folder: string): Promise<void> {
  const folders = new Set([dirname(folder), folder])
  for (const { name } of lock.files) {
    const target = join(folder, name)
    folders.add(dirname(target))
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(join(staging, name), target)
  }
  for (const each of folders) await realDisk.flushFolder(each)
  await writeLock(folder, lock)
  forgetDamage(folder)
}

/** False on another file system, or one without links: then the file is copied. */
async function linked(path: string, target: string): Promise<boolean> {
  return link(path, target).then(
    () => true,
    () => false,
  )
}

async function copy(path: string, target: string): Promise<void> {
  // Never onto a file that is there: it may be a link to the operator's own.
  await copyFile(path, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  const file = await open(target, 'r+')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}
