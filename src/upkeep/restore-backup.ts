/** First half of a restore: a backup is unpacked, checked as a whole, and laid ready. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { checkIntegrity } from '../billing/integrity.ts'
import { truncateLog } from '../db/copy-database.ts'
import { migrations } from '../db/migrations/index.ts'
import { openDatabase } from '../db/open-database.ts'
import { schemaProblem } from '../db/same-schema.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { replaceFolder } from '../store/durable.ts'
import { claimStaging } from '../store/staging-folder.ts'
import { BackupError, databaseName, manifestsFolder, settingsName, tlsFolderName, withAdvice } from './backup-format.ts'
import {
  type Finished,
  finishRestore,
  hasBegun,
  markRestore,
  pendingRestore,
  readyFolder,
  stagingOf,
} from './finish-restore.ts'
import { type UnpackedBackup, unpackBackup } from './read-backup.ts'

export interface RestoreOptions {
  readonly path: string
  /** Data folder, whose lock the caller of `restoreBackup` holds: no server runs and none starts. */
  readonly dataDir: string
  /** `cli:<user>` or `operator:<account id>`, for the audit log. */
  readonly actor: string
  readonly nowMs: number
  /** True to restore a backup whose books do not add up. */
  readonly isForced: boolean
  /** Sum of the content that was checked, so that no other file takes its place. Undefined takes any content. */
  readonly sum?: string | undefined
  readonly disk?: Disk
}

export interface CheckedBackup extends Pick<UnpackedBackup, 'createdMs' | 'inferd' | 'sum'> {
  /** Path of the settings file. Undefined if it was in the data folder. */
  readonly settingsPath: string | undefined
  readonly accounts: number
  readonly balancesNanoUsd: number
  readonly manifests: number
  /** Keys and certificates of TLS, and notes about them. */
  readonly tlsFiles: number
  /** Problems of its books. Empty if they add up. */
  readonly problems: readonly string[]
}

export type Restored = CheckedBackup & Finished

/** Backup that was checked, with the settings that would take the place of the data folder's. */
export interface ReadBackup extends CheckedBackup {
  /** Text of the settings file. Undefined if there is none, or if it was outside the data folder. */
  readonly settingsText: string | undefined
}

/** Reads a whole backup and checks it without changes. Throws BackupError. */
export async function checkBackup({
  path,
  dataDir,
  sum,
}: Pick<RestoreOptions, 'path' | 'dataDir' | 'sum'>): Promise<ReadBackup> {
  using staging = claim(dataDir)
  const checked = await unpackAndCheck({ path, sum }, staging.path)
  const settings = join(staging.path, settingsName)
  const isTaken = checked.settingsPath === undefined && existsSync(settings)
  return { ...checked, settingsText: isTaken ? readFileSync(settings, 'utf8') : undefined }
}

/**
 * Unpacks and checks a backup, and lays its files ready for the next start, which takes them into use. Replaces nothing
 * else. Takes the place of an earlier restore that waits. Throws BackupError; then nothing has changed.
 */
export async function prepareRestore(options: RestoreOptions): Promise<CheckedBackup> {
  const { path, dataDir, actor, nowMs, isForced, disk = realDisk } = options
  using staging = claim(dataDir)
  const checked = await unpackAndCheck(options, staging.path)
  const [problem] = checked.problems
  if (problem !== undefined && !isForced)
    throw new BackupError(`the books of ${path} do not add up (${problem}): take another backup, or --force`)
  const { settingsPath, problems, sum: _, ...facts } = checked
  const mark = { ...facts, ...(settingsPath !== undefined && { settingsPath }), problems: [...problems] }
  const kept = keptName(dataDir, nowMs)
  await markRestore(staging.path, { ...mark, name: basename(path), actor, wantedMs: nowMs, kept }, disk)
  await flushAll(staging.path, disk)
  replaceFolder(readyFolder(dataDir), staging.path)
  await disk.flushFolder(dataDir)
  return checked
}

/**
 * Replaces a data folder's database, settings, manifests and keys by those of a backup and keeps the old ones beside it. A
 * power cut or a kill leaves either the old or the new database, complete; the next start, or another restore, finishes
 * what was begun. Throws BackupError.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { dataDir, nowMs, disk = realDisk } = options
  const earlier = pendingRestore(dataDir)
  if (earlier !== undefined && hasBegun(dataDir, earlier)) await finishRestore(dataDir, { nowMs, disk })
  const checked = await prepareRestore(options)
  const finished = await finishRestore(dataDir, { nowMs, disk })
  return { ...checked, replaced: finished?.replaced, settingsBeside: finished?.settingsBeside }
}

function claim(dataDir: string) {
  const staging = claimStaging(stagingOf(dataDir))
  if (staging === undefined) throw new BackupError(`another restore works in ${dataDir}; wait until it is done`)
  return staging
}

async function unpackAndCheck(
  { path, sum: wantedSum }: Pick<RestoreOptions, 'path' | 'sum'>,
  folder: string,
): Promise<CheckedBackup> {
  const { createdMs, inferd, sum, settingsPath, files, schema } = await unpackBackup(path, folder).catch(
    (error: unknown) => {
      throw withAdvice(error, `${path} was not unpacked below ${folder}`, 'nothing was replaced; make room there')
    },
  )
  if (wantedSum !== undefined && wantedSum !== sum)
    throw new BackupError(`another file has taken the place of ${path} since it was checked; check it again`)
  if (schema > migrations.length)
    throw new BackupError(`${path} was made by inferd ${inferd}, which is newer than this one; restore it with that`)
  const copy = join(folder, databaseName)
  // Migrates an older schema.
  const database = openDatabase(copy)
  try {
    const schemaFault = schemaProblem(database)
    if (schemaFault !== undefined) throw new BackupError(`${path} is no backup of inferd: ${schemaFault}`)
    const { problems, accounts, balancesNanoUsd } = database.transaction(() => checkIntegrity(database))()
    const filesIn = (within: string) => files.filter(({ name }) => name.startsWith(`${within}/`)).length
    const parts = { manifests: filesIn(manifestsFolder), tlsFiles: filesIn(tlsFolderName) }
    return { createdMs, inferd, sum, settingsPath, accounts, balancesNanoUsd, ...parts, problems }
  } finally {
    database.close()
    truncateLog(copy)
  }
}

/** Flushes everything that was unpacked, with its names. */
async function flushAll(folder: string, disk: Disk): Promise<void> {
  await using database = await open(join(folder, databaseName), 'r+')
  await database.sync()
  mkdirSync(join(folder, manifestsFolder), { recursive: true, mode: 0o700 })
  for (const each of [manifestsFolder, tlsFolderName].map((name) => join(folder, name)))
    if (existsSync(each)) await disk.flushFolder(each)
  await disk.flushFolder(folder)
}

/** Returns an unused name for the folder of the replaced files. */
function keptName(dataDir: string, nowMs: number): string {
  const name = `replaced-${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '')}`
  for (let number = 1; ; number++) {
    const each = number === 1 ? name : `${name}-${number}`
    if (!existsSync(join(dataDir, each))) return each
  }
}
