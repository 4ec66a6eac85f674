import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { cp, open } from 'node:fs/promises'
import { join } from 'node:path'
import { checkIntegrity } from '../billing/integrity.ts'
import { truncateLog } from '../db/copy-database.ts'
import { migrations } from '../db/migrations/index.ts'
import { openDatabase } from '../db/open-database.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { renameDurably, replaceFolder } from '../store/durable.ts'
import { claimStaging } from '../store/staging-folder.ts'
import {
  type BackupDescription,
  BackupError,
  databaseName,
  manifestsFolder,
  settingsName,
  withAdvice,
} from './backup-format.ts'
import { unpackBackup } from './read-backup.ts'

export interface RestoreOptions {
  readonly path: string
  /** Data folder, whose lock the caller holds: no server runs and none starts. */
  readonly dataDir: string
  readonly nowMs: number
  /** True to restore a backup whose books do not add up. */
  readonly isForced: boolean
  readonly disk?: Disk
}

export interface CheckedBackup extends Pick<BackupDescription, 'createdMs' | 'inferd'> {
  /** Path of the settings file. Undefined if it was in the data folder. */
  readonly settingsPath: string | undefined
  readonly accounts: number
  readonly balancesNanoUsd: number
  readonly manifests: number
  /** Problems of its books. Empty if they add up. */
  readonly problems: readonly string[]
}

export interface Restored extends CheckedBackup {
  /** Folder of the replaced files. Undefined if there were none. */
  readonly replaced: string | undefined
  /** Path of the backup's settings. Undefined if they were in the data folder. */
  readonly settingsBeside: string | undefined
}

const settingsBesideName = 'config.restored.toml'

/** Reads a whole backup and checks it without changes. Throws BackupError. */
export async function checkBackup({ path, dataDir }: Pick<RestoreOptions, 'path' | 'dataDir'>): Promise<CheckedBackup> {
  using staging = claim(dataDir)
  return unpackAndCheck(path, staging.path)
}

/**
 * Replaces a data folder's database, settings and manifests by those of a backup and keeps the old ones beside it. A
 * power cut or a kill leaves either the old or the new database, complete; another restore finishes what was begun.
 * Throws BackupError.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { path, dataDir, nowMs, isForced, disk = realDisk } = options
  using staging = claim(dataDir)
  const checked = await unpackAndCheck(path, staging.path)
  const [problem] = checked.problems
  if (problem !== undefined && !isForced)
    throw new BackupError(`the books of ${path} do not add up (${problem}): take another backup, or --force`)
  await flushAll(staging.path, disk)
  const kept = keptFolder(dataDir, nowMs)
  await keepOld(dataDir, kept, disk)
  replaceFolder(join(dataDir, manifestsFolder), join(staging.path, manifestsFolder))
  await disk.flushFolder(dataDir)
  const isBeside = checked.settingsPath !== undefined
  const settings = join(staging.path, settingsName)
  if (existsSync(settings))
    await renameDurably(settings, join(dataDir, isBeside ? settingsBesideName : settingsName), disk)
  // The database comes last, in one step: until then the old one stays in use.
  dropLog(dataDir)
  await renameDurably(join(staging.path, databaseName), join(dataDir, databaseName), disk)
  const isEmpty = readdirSync(kept).length === 0
  if (isEmpty) rmSync(kept, { recursive: true })
  return {
    ...checked,
    replaced: isEmpty ? undefined : kept,
    settingsBeside: isBeside ? join(dataDir, settingsBesideName) : undefined,
  }
}

function claim(dataDir: string) {
  const staging = claimStaging(join(dataDir, 'restore'))
  if (staging === undefined) throw new BackupError(`another restore works in ${dataDir}; wait until it is done`)
  return staging
}

async function unpackAndCheck(path: string, folder: string): Promise<CheckedBackup> {
  const { createdMs, inferd, settingsPath, files, schema } = await unpackBackup(path, folder).catch(
    (error: unknown) => {
      throw withAdvice(error, `${path} was not unpacked below ${folder}`, 'nothing was replaced; make room there')
    },
  )
  if (schema > migrations.length)
    throw new BackupError(`${path} was made by inferd ${inferd}, which is newer than this one; restore it with that`)
  const copy = join(folder, databaseName)
  // Migrates an older schema.
  const database = openDatabase(copy)
  try {
    const { problems, accounts, balancesNanoUsd } = database.transaction(() => checkIntegrity(database))()
    const manifests = files.filter(({ name }) => name.startsWith(`${manifestsFolder}/`)).length
    return { createdMs, inferd, settingsPath, accounts, balancesNanoUsd, manifests, problems }
  } finally {
    database.close()
    truncateLog(copy)
  }
}

/** Flushes everything that was unpacked, with its names. */
async function flushAll(folder: string, disk: Disk): Promise<void> {
  await using database = await open(join(folder, databaseName), 'r+')
  await database.sync()
  const manifests = join(folder, manifestsFolder)
  mkdirSync(manifests, { recursive: true, mode: 0o700 })
  await disk.flushFolder(manifests)
  await disk.flushFolder(folder)
}

/** Creates a new folder for the replaced files. */
function keptFolder(dataDir: string, nowMs: number): string {
  const name = `replaced-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '')}`
  for (let number = 1; ; number++) {
    const path = join(dataDir, number === 1 ? name : `${name}-${number}`)
    if (existsSync(path)) continue
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  }
}

/** Keeps a second name of each replaced file, and a copy of the manifests. */
async function keepOld(dataDir: string, kept: string, disk: Disk): Promise<void> {
  for (const name of [databaseName, `${databaseName}-wal`, settingsName, settingsBesideName]) {
    const path = join(dataDir, name)
    if (existsSync(path)) linkOrCopy(path, join(kept, name))
  }
  const manifests = join(dataDir, manifestsFolder)
  if (existsSync(manifests)) {
    await cp(manifests, join(kept, manifestsFolder), { recursive: true })
    await disk.flushFolder(join(kept, manifestsFolder))
  }
  await disk.flushFolder(kept)
  await disk.flushFolder(dataDir)
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
