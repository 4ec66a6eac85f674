/**
 * Second half of a restore. The first half leaves a checked backup, unpacked and flushed, in the folder `restore.ready`
 * of the data folder. This half takes its files into use by renames alone: it needs no room, and does the rest where an
 * earlier run was killed.
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { readNote } from '../catalog/notes.ts'
import { newId } from '../core/ids.ts'
import { namesIn } from '../core/names-in.ts'
import { continueLog } from '../db/continue-log.ts'
import { truncateLog } from '../db/copy-database.ts'
import { Erasures } from '../db/erasures.ts'
import { openDatabase } from '../db/open-database.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { renameDurably, writeDurably } from '../store/durable.ts'
import { claimStaging } from '../store/staging-folder.ts'
import { BackupError, databaseName, manifestsFolder, settingsName, tlsFolderName } from './backup-format.ts'

const mark = Type.Object({
  /** File name of the backup. */
  name: Type.String(),
  actor: Type.String(),
  /** Time of the wish, milliseconds UTC. */
  wantedMs: Type.Integer(),
  /** Name of the folder for the files that are replaced. */
  kept: Type.String({ pattern: '^replaced-[0-9TZ-]+$' }),
  createdMs: Type.Integer(),
  inferd: Type.String(),
  /** Path of the settings file. Absent if it was in the data folder. */
  settingsPath: Type.Optional(Type.String()),
  accounts: Type.Integer(),
  balancesNanoUsd: Type.Integer(),
  manifests: Type.Integer(),
  problems: Type.Array(Type.String()),
})

/** Restore that waits for the next start. */
export type PendingRestore = Readonly<Static<typeof mark>>

const markName = 'restore.json'
const settingsBesideName = 'config.restored.toml'

/** Returns the folder of a restore that waits for the next start. */
export function readyFolder(dataDir: string): string {
  return join(dataDir, 'restore.ready')
}

/** Returns the restore that waits. Undefined without one. Throws BackupError if this program cannot read it. */
export function pendingRestore(dataDir: string): PendingRestore | undefined {
  const path = join(readyFolder(dataDir), markName)
  const found = readNote(path, mark)
  if (found === undefined && existsSync(path))
    throw new BackupError(`${readyFolder(dataDir)} was made by another version of inferd; delete it or start that`)
  return found
}

/** Writes the mark into the folder that becomes `restore.ready`. */
export async function markRestore(folder: string, pending: PendingRestore, disk: Disk): Promise<void> {
  await writeDurably(join(folder, markName), JSON.stringify(pending), disk)
}

/** Returns whether the old files are being replaced, so that only the end of the restore leads to a whole state. */
export function hasBegun(dataDir: string, { kept }: PendingRestore): boolean {
  return existsSync(join(dataDir, kept))
}

/** Drops the restore that waits. Throws BackupError if it has begun. */
export async function cancelRestore(dataDir: string, disk: Disk = realDisk): Promise<void> {
  const pending = pendingRestore(dataDir)
  if (pending !== undefined && hasBegun(dataDir, pending))
    throw new BackupError('the restore has begun; the next start ends it')
  await dropReady(dataDir, disk)
}

export interface Finished {
  /** Folder of the replaced files. Undefined if there were none. */
  readonly replaced: string | undefined
  /** Path of the backup's settings. Undefined if they were in the data folder. */
  readonly settingsBeside: string | undefined
}

/**
 * Takes the files of the waiting restore into use, and keeps those that they replace. The caller holds the lock of the
 * data folder. Undefined if no restore waits. Rejects with the system's errors; then a later call does the rest.
 */
export async function finishRestore(
  dataDir: string,
  { nowMs, disk = realDisk }: { readonly nowMs: number; readonly disk?: Disk },
): Promise<(PendingRestore & Finished) | undefined> {
  const ready = readyFolder(dataDir)
  const pending = pendingRestore(dataDir)
  if (pending === undefined) {
    dropLeftovers(dataDir)
    return undefined
  }
  const kept = join(dataDir, pending.kept)
  if (existsSync(join(ready, databaseName))) noteInLog(dataDir, pending, nowMs)
  if (!hasBegun(dataDir, pending)) await keepOld(dataDir, kept, disk)
  for (const name of folders) await takeFolder(name, dataDir, disk)
  const beside = pending.settingsPath === undefined ? undefined : join(dataDir, settingsBesideName)
  await take(join(ready, settingsName), beside ?? join(dataDir, settingsName), disk)
  // The database comes last.
  if (existsSync(join(ready, databaseName))) dropLog(dataDir)
  await take(join(ready, databaseName), join(dataDir, databaseName), disk)
  await dropReady(dataDir, disk)
  const isEmpty = readdirSync(kept).length === 0
  if (isEmpty) rmSync(kept, { recursive: true })
  return { ...pending, replaced: isEmpty ? undefined : kept, settingsBeside: beside }
}

/** Deletes what restores that have ended, or were dropped, left, and what a killed check unpacked. */
function dropLeftovers(dataDir: string): void {
  const unfinished = namesIn(dataDir).filter((name) => /^replaced-[0-9TZ-]+\.tmp$/.test(name))
  for (const path of [readyFolder(dataDir), ...unfinished.map((name) => join(dataDir, name))])
    rmSync(path, { recursive: true, force: true })
  claimStaging(stagingOf(dataDir))?.[Symbol.dispose]()
}

/** Returns the name by which a folder for an unpacked backup is claimed. */
export function stagingOf(dataDir: string): string {
  return join(dataDir, 'restore')
}

async function dropReady(dataDir: string, disk: Disk): Promise<void> {
  const ready = readyFolder(dataDir)
  if (!existsSync(ready)) return
  // Without its mark, the folder means nothing.
  await disk.remove(join(ready, markName))
  await disk.flushFolder(ready)
  rmSync(ready, { recursive: true, force: true })
}

function noteInLog(dataDir: string, { actor, name, createdMs, wantedMs, kept }: PendingRestore, nowMs: number): void {
  const path = join(readyFolder(dataDir), databaseName)
  const database = openDatabase(path)
  try {
    const details = { name, madeMs: createdMs, wantedMs, replaced: kept }
    continueLog(database, join(dataDir, databaseName), { actor, details, nowMs })
    eraseAgain(database, { dataDir, nowMs })
  } finally {
    database.close()
    truncateLog(path)
  }
}

/** Erases from a restored database whom the list beside the replaced one names. */
function eraseAgain(
  database: ReturnType<typeof openDatabase>,
  { dataDir, nowMs }: { readonly dataDir: string; readonly nowMs: number },
): void {
  const erasures = new Erasures({ database, newId, clock: () => nowMs, folder: dataDir })
  erasures.repeat()
  // A full disk does not hold up the restore: the next start does the rest.
  erasures.settle({ takesTime: true })
}

/** Moves a file to its place, unless an earlier run did. */
async function take(from: string, to: string, disk: Disk): Promise<void> {
  if (existsSync(from)) await renameDurably(from, to, disk)
}

/** Folders of a backup, each taken as a whole. One that a backup lacks stays. */
const folders = [manifestsFolder, tlsFolderName] as const

async function takeFolder(name: (typeof folders)[number], dataDir: string, disk: Disk): Promise<void> {
  const made = join(readyFolder(dataDir), name)
  if (!existsSync(made)) return
  const target = join(dataDir, name)
  const old = `${made}.old`
  rmSync(old, { recursive: true, force: true })
  if (existsSync(target)) await renameDurably(target, old, disk)
  await renameDurably(made, target, disk)
}

/** Keeps a second name of each file that is replaced, and a copy of the folders. The new folder appears once it is whole. */
async function keepOld(dataDir: string, kept: string, disk: Disk): Promise<void> {
  const made = `${kept}.tmp`
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made, { mode: 0o700 })
  if (existsSync(join(dataDir, databaseName))) truncateLog(join(dataDir, databaseName))
  for (const name of [databaseName, `${databaseName}-wal`, settingsName, settingsBesideName]) {
    const path = join(dataDir, name)
    const found = statSync(path, { throwIfNoEntry: false })
    // An empty log holds nothing.
    if (found !== undefined && (found.size > 0 || name === settingsName)) linkOrCopy(path, join(made, name))
  }
  for (const name of folders.filter((folder) => existsSync(join(dataDir, folder)))) {
    await cp(join(dataDir, name), join(made, name), { recursive: true })
    await disk.flushFolder(join(made, name))
  }
  await disk.flushFolder(made)
  await renameDurably(made, kept, disk)
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to) // a file system without links
  }
}

/**
 * Drops the old log, which must not be applied to the new file. If the old database cannot be read, its log is kept
 * beside it.
 */
function dropLog(dataDir: string): void {
  const path = join(dataDir, databaseName)
  if (existsSync(path)) truncateLog(path)
  for (const ending of ['-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}
