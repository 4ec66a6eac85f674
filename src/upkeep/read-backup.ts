import { createHash, type Hash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { FileError } from '../catalog/stat-file.ts'
import { jsonIn } from '../core/json.ts'
import { readTar, type TarEntry } from '../store/archive/tar-reader.ts'
import {
  type BackupDescription,
  BackupError,
  backupDescription,
  backupEnd,
  backupEndBytes,
  databaseName,
  descriptionName,
  isBackupName,
} from './backup-format.ts'

const descriptionLimitBytes = 16 * 1024 ** 2

/** Content of a backup that was unpacked. */
export interface UnpackedBackup extends BackupDescription {
  /** SHA-256 of the description, which holds that of each file. Differs for each content. */
  readonly sum: string
}

/**
 * Unpacks a backup into an empty folder, flushed and for its owner alone. Throws BackupError if the file is no backup,
 * was cut off or was changed; then the folder's content is worthless.
 */
export async function unpackBackup(path: string, folder: string): Promise<UnpackedBackup> {
  try {
    await requireWhole(path)
    return await unpack(path, folder)
  } catch (error) {
    throw asBackupError(path, error)
  }
}

/** Throws BackupError unless a complete, unchanged backup is at `path`. Reads the whole file and writes nothing. */
export async function requireWholeBackup(path: string): Promise<void> {
  try {
    await requireWhole(path)
  } catch (error) {
    throw asBackupError(path, error)
  }
}

function asBackupError(path: string, error: unknown): unknown {
  return error instanceof FileError ? new BackupError(`${path} ${error.message}`) : error
}

/** Requires that the final checksum matches everything before it. */
async function requireWhole(path: string): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) throw new BackupError(`${path} is a folder; name a backup in it`)
  if (found?.isFile() !== true) throw new BackupError(`there is no file ${path}; name a backup`)
  const end = found.size - backupEndBytes
  const damaged = 'is no backup, or was cut off or changed: take another one'
  if (end <= 0) throw new FileError(damaged)
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { end: end - 1 })) hash.update(piece)
  const tail: Buffer[] = []
  for await (const piece of createReadStream(path, { start: end })) tail.push(piece)
  if (!Buffer.concat(tail).equals(backupEnd(hash.digest('hex')))) throw new FileError(damaged)
}

async function unpack(path: string, folder: string): Promise<UnpackedBackup> {
  let description: UnpackedBackup | undefined
  const found = new Map<string, string>()
  for await (const entry of readTar(createReadStream(path))) {
    if (description === undefined) description = await readDescription(entry)
    else if (isBackupName(entry.name)) found.set(entry.name, await unpackFile(entry, join(folder, entry.name)))
    else break // the sum, which was compared
  }
  if (description === undefined) throw new FileError('is no backup of inferd')
  const { files } = description
  const isComplete = files.length === found.size && files.every(({ name, sha256 }) => found.get(name) === sha256)
  if (!isComplete || !found.has(databaseName)) throw new FileError('does not hold what it says: take another one')
  return description
}

async function readDescription({ name, sizeBytes, content }: TarEntry): Promise<UnpackedBackup> {
  if (name !== descriptionName || sizeBytes > descriptionLimitBytes) throw new FileError('is no backup of inferd')
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece.slice())
  const bytes = Buffer.concat(pieces)
  const parsed = jsonIn(bytes.toString())
  const sum = createHash('sha256').update(bytes).digest('hex')
  if (Value.Check(backupDescription, parsed)) return { ...parsed, sum }
  throw new FileError('is a backup of another version of inferd: restore it with that one')
}

/** Unpacks one file. Returns the SHA-256 of its content. */
async function unpackFile({ content }: TarEntry, path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await using file = await open(path, 'wx', 0o600)
  const hash: Hash = createHash('sha256')
  for await (const piece of content) {
    hash.update(piece)
    await file.writeFile(piece)
  }
  await file.sync()
  return hash.digest('hex')
}
