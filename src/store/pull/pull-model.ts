import { copyFile, mkdir, rename, rm, stat, truncate } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DamagedFile, forgetDamage, readDamage } from '../../catalog/damage-note.ts'
import { modelFolder } from '../../catalog/locate-files.ts'
import { FileError } from '../../catalog/stat-file.ts'
import type { OnProgress } from '../../core/download.ts'
import { unpackArchive } from '../archive/unpack-archive.ts'
import { realDisk } from '../disk.ts'
import type { Downloader } from '../download/downloader.ts'
import { discardPart, notePath, partPath } from '../download/part-file.ts'
import { writeNote } from '../download/part-note.ts'
import { eachOf } from '../each-of.ts'
import { hashFile } from '../hash-file.ts'
import { type LockedFile, type ModelLock, readLock, writeLock } from '../lock.ts'
import { lockedContents } from '../locked-contents.ts'
import type { ModelPlan, PlannedFile } from '../plan.ts'
import { keepPullNote } from './keep-note.ts'
import { adoptEqual, lockedFile, presentFiles } from './place-file.ts'

interface PullOptions {
  readonly dataDir: string
  readonly downloader: Pick<Downloader, 'download'>
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
}

/** Files of a model fetched at once. Each has several connections. */
const filesAtOnce = 2

/** Returns the files of a plan that are missing. */
export function missingFiles({ manifest, files }: ModelPlan, dataDir: string): PlannedFile[] {
  const folder = modelFolder(dataDir, manifest.id)
  const lock = soundLock(folder)
  return files.filter((file) => presentFiles(file, lock, folder) === undefined)
}

/**
 * Fetches all files of a plan and writes the lock last. Existing files stay, equal files of other models are linked.
 * Throws the downloader's errors; then fetched data serves the next pull.
 */
export async function pullModel(plan: ModelPlan, options: PullOptions): Promise<ModelLock> {
  const { manifest, files } = plan
  const folder = modelFolder(options.dataDir, manifest.id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = soundLock(folder)
  using running = keepPullNote(folder, missingFiles(plan, options.dataDir))
  const onProgress: OnProgress = (progress) => {
    running.note(progress)
    options.onProgress(progress)
  }
  const locked = await eachOf(files, filesAtOnce, (file) => bring(file, { folder, lock, ...options, onProgress }))
  const whole: ModelLock = { format: 1, modelId: manifest.id, license: manifest.license, files: locked.flat() }
  if (!Bun.deepEquals(whole.files, lock?.files)) await writeLock(folder, whole)
  forgetDamage(folder)
  return whole
}

/**
 * Returns the lock of a folder without its damaged files. A damaged lock counts as none: the files are verified again.
 */
function soundLock(folder: string): ModelLock | undefined {
  try {
    const lock = readLock(folder)
    const damaged = readDamage(folder).map(({ name }) => name)
    return lock && { ...lock, files: lock.files.filter(({ name }) => !damaged.includes(name)) }
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

interface Place extends PullOptions {
  readonly folder: string
  readonly lock: ModelLock | undefined
}

async function bring(planned: PlannedFile, place: Place): Promise<LockedFile[]> {
  const { folder, lock, dataDir, downloader, signal, onProgress } = place
  const target = join(folder, planned.name)
  const present = presentFiles(planned, lock, folder)
  if (present !== undefined) return present
  const adopted = await adoptEqual(planned, target, lockedContents(dataDir))
  if (adopted !== undefined) return [adopted]
  if (planned.unpack === true) return unpack(planned, place)
  await reuseSoundChunks(planned, folder)
  const sums = await downloader.download(planned, target, { signal, onProgress })
  return [await lockedFile(folder, planned, sums)]
}

/** Keeps the intact chunks of a damaged file, so that only the others are fetched. */
async function reuseSoundChunks({ name, sha256 }: PlannedFile, folder: string): Promise<void> {
  const damage = readDamage(folder).find((file) => file.name === name)
  const locked = damage && readLock(folder)?.files.find((file) => file.name === name)
  if (damage === undefined || locked === undefined || locked.sha256 !== (sha256 ?? locked.sha256)) return
  await reuseChunks(join(folder, name), locked, damage)
}

/** Unpacks an archive and removes it once its files are complete. */
async function unpack(planned: PlannedFile, { folder, downloader, signal, onProgress }: Place): Promise<LockedFile[]> {
  const { role, name, source } = planned
  const archive = join(folder, `${name}.archive`)
  const { commit } = await downloader.download(planned, archive, { signal, onProgress })
  const progress = { phase: 'unpack' as const, name, totalBytes: undefined, rate: undefined }
  const onBytes = (bytes: number) => onProgress({ ...progress, bytes })
  const files = await unpackArchive(archive, join(folder, name), { signal, onBytes })
  const locked = await eachOf(files, filesAtOnce, async (file) => {
    const within = `${name}/${file.name}`
    const sums = await hashFile(join(folder, within), { signal })
    return lockedFile(folder, { role, name: within, source }, { ...sums, commit })
  })
  await rm(archive)
  return locked
}

/**
 * Turns a damaged file into the part of a download that lacks only the damaged chunks. Other links to the content stay
 * unchanged. The file is gone from its place afterwards.
 */
async function reuseChunks(target: string, file: LockedFile, { chunks }: DamagedFile): Promise<void> {
  const found = await stat(target).catch(() => undefined)
  if (found === undefined || !found.isFile()) return
  await discardPart(target, realDisk)
  if (found.nlink === 1) await rename(target, partPath(target))
  else {
    await copyFile(target, partPath(target))
    await realDisk.remove(target)
  }
  await truncate(partPath(target), file.bytes)
  await using part = await realDisk.open(partPath(target))
  await part.flush()
  await realDisk.flushFolder(dirname(target))
  const good = [...file.chunkSums.entries()].filter(([index]) => !chunks.includes(index))
  const identity = { bytes: file.bytes, sha256: file.sha256, commit: file.commit }
  await writeNote(notePath(target), identity, new Map(good), realDisk)
}
