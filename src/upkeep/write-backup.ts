import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { operatorFolder } from '../catalog/operator-manifests.ts'
import { sizeText } from '../core/quantities.ts'
import { fileHeader, padding } from '../store/archive/tar-writer.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { renameDurably } from '../store/durable.ts'
import { hashFile, piecesOf } from '../store/hash-file.ts'
import { claimStaging } from '../store/staging-folder.ts'
import {
  type BackupDescription,
  BackupError,
  backupEnd,
  databaseName,
  descriptionName,
  isBackupName,
  manifestsFolder,
  settingsName,
  tlsFolderName,
  withAdvice,
} from './backup-format.ts'
import { noteBackup } from './backup-note.ts'

export interface BackupOptions {
  readonly dataDir: string
  /** Path of the settings file. Undefined if there is none. */
  readonly settingsFile: string | undefined
  /**
   * Path of the new file, which must not exist. Its folder must exist, except within the data folder, where it is
   * created.
   */
  readonly target: string
  /** Version of the program. */
  readonly version: string
  readonly nowMs: number
  /** Copies a database to a new file. Returns its schema version. */
  readonly copyDatabase: (from: string, to: string) => number
  readonly disk?: Disk
}

export interface Backup {
  readonly path: string
  readonly bytes: number
  readonly createdMs: number
}

/** Bytes that stay free on the disk for everything else. */
const keptFreeBytes = 256 * 1024 ** 2

/** File of the backup with the current path of its content. */
interface Member {
  readonly name: string
  readonly content: Uint8Array | { readonly path: string }
  readonly bytes: number
  readonly sha256: string
}

/**
 * Makes a backup beside a running server or without one. The file gets its name once it is complete and flushed, and
 * belongs to its owner alone. Reads and writes megabytes at a time and copies the database at once, so servers run it
 * in a thread. Throws BackupError; then there is no file.
 */
export async function writeBackup(options: BackupOptions): Promise<Backup> {
  const { dataDir, target } = options
  if (statOf(join(dataDir, databaseName)) === undefined)
    throw new BackupError(`there is no database in ${dataDir}; nothing to back up`)
  try {
    const backup = await write(options)
    noteBackup(dataDir, backup)
    return backup
  } catch (error) {
    throw withAdvice(error, `${target} was not written`, needs)
  }
}

const needs = "it needs room and write access there, and a sound database ('inferd doctor' checks it)"

async function write(options: BackupOptions): Promise<Backup> {
  const { dataDir, settingsFile, target, version, nowMs, disk = realDisk } = options
  const folder = dirname(target)
  const source = join(dataDir, databaseName)
  await requireFolder(folder, dataDir)
  if (statOf(target) !== undefined) throw new BackupError(`${target} is there already; name another file`)
  await requireRoom(folder, source, disk)
  using staging = claimStaging(join(folder, 'inferd-backup'))
  if (staging === undefined) throw new BackupError(`another backup is being made in ${folder}; wait until it is done`)
  const copy = join(staging.path, databaseName)
  const schema = options.copyDatabase(source, copy)
  const members = [await databaseMember(copy), ...smallMembers(dataDir, settingsFile)]
  const isElsewhere = settingsFile !== undefined && settingsFile !== join(dataDir, settingsName)
  const description: BackupDescription = {
    ...{ format: 1, inferd: version, schema, createdMs: nowMs },
    ...(isElsewhere && { settingsPath: settingsFile }),
    files: members.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
  }
  const written = join(staging.path, basename(target))
  const bytes = await writeArchive(written, [describing(description), ...members], disk)
  await renameDurably(written, target, disk)
  return { path: target, bytes, createdMs: nowMs }
}

/** Requires the folder to exist. Creating the folder of an unmounted disk would fill the disk below it. */
async function requireFolder(folder: string, dataDir: string): Promise<void> {
  const found = statOf(folder)
  if (found?.isDirectory() === true) return
  if (found !== undefined) throw new BackupError(`${folder} is no folder; name another place`)
  if (!folder.startsWith(`${dataDir}/`))
    throw new BackupError(`there is no folder ${folder}; mount its disk, or make it, first`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

async function databaseMember(path: string): Promise<Member> {
  const { bytes, sha256 } = await hashFile(path)
  return { name: databaseName, content: { path }, bytes, sha256 }
}

/** Returns the settings file, the operator's manifests and the files of TLS. */
function smallMembers(dataDir: string, settingsFile: string | undefined): Member[] {
  const manifests = filesIn(operatorFolder(dataDir), manifestsFolder)
  const certificates = filesIn(join(dataDir, tlsFolderName), tlsFolderName)
  const settings = settingsFile === undefined ? [] : [{ name: settingsName, path: settingsFile }]
  return [...settings, ...manifests, ...certificates].map(({ name, path }) => memberOf(name, readFileSync(path)))
}

/** Returns the files of a folder that belong into a backup, by their names there. */
function filesIn(folder: string, within: string): { readonly name: string; readonly path: string }[] {
  const names = statOf(folder) === undefined ? [] : readdirSync(folder).sort()
  return names
    .map((name) => ({ name: `${within}/${name}`, path: join(folder, name) }))
    .filter(({ name, path }) => isBackupName(name) && statOf(path)?.isFile() === true)
}

function describing(description: BackupDescription): Member {
  return memberOf(descriptionName, Buffer.from(`${JSON.stringify(description, undefined, 2)}\n`))
}

function memberOf(name: string, content: Uint8Array): Member {
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { name, content, bytes: content.length, sha256 }
}

/** Writes the archive. Returns its length. */
async function writeArchive(path: string, members: readonly Member[], disk: Disk): Promise<number> {
  await using file = await disk.open(path)
  const hash = createHash('sha256')
  let offset = 0
  const write = async (bytes: Uint8Array) => {
    hash.update(bytes)
    await file.write(bytes, offset)
    offset += bytes.length
  }
  for (const { name, content, bytes } of members) {
    await write(fileHeader(name, bytes))
    if (content instanceof Uint8Array) await write(content)
    else await writeFile(content.path, write)
    await write(padding(bytes))
  }
  const end = backupEnd(hash.digest('hex'))
  await file.write(end, offset)
  await file.flush()
  return offset + end.length
}

async function writeFile(path: string, write: (piece: Uint8Array) => Promise<void>): Promise<void> {
  await using file = await open(path, 'r')
  for await (const piece of piecesOf(file)) await write(piece)
}

/** Checks the free space. The copy of the database and its archive exist at the same time. */
async function requireRoom(folder: string, source: string, disk: Disk): Promise<void> {
  const databaseBytes = [source, `${source}-wal`].reduce((sum, path) => sum + (statOf(path)?.size ?? 0), 0)
  const neededBytes = 2 * databaseBytes + keptFreeBytes
  const { freeBytes } = await disk.room(folder)
  if (freeBytes >= neededBytes) return
  throw new BackupError(
    `${folder} has ${sizeText(freeBytes)} free and a backup needs ${sizeText(neededBytes)}: make room, or name another disk`,
  )
}

function statOf(path: string) {
  return statSync(path, { throwIfNoEntry: false })
}
